import { addresses } from '../lab/addresses.ts';
import { expect, test, withoutRoot } from './fixtures.ts';
import { AccountRoute } from './routes/account-route.ts';
import { Tabs } from './routes/tabs.ts';
import { waitLimit } from '../lab/wait-limit.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test('design §5: traffic statistics: after Disconnect the account page shows what went through the tunnel', async ({
  lab,
  signedIn: { page },
  connected,
}) => {
  const account = new AccountRoute(page);
  const tabs = new Tabs(page);
  await tabs.account.click();
  await expect(account.sent).toHaveText('0 kB');
  await expect(account.received).toHaveText('0 kB');

  const upload = 'head -c 3000000 /dev/zero | curl --silent --show-error --fail --data-binary @-';
  const destination = `http://${addresses.echo.ipv4}/`;
  const reply = await lab.user.run(['bash', '-c', `${upload} ${destination}`]);
  expect(JSON.parse(reply), 'it went through the tunnel').toMatchObject({ address: addresses.gateway.ipv4 });

  await tabs.connect.click();
  await connected.disconnect.click();
  await expect(connected.status('connect.disconnected')).toBeVisible();
  // ocserv tells of the session a moment after the app knows; the page asks whenever it is opened.
  await expect(async () => {
    await tabs.connect.click();
    await tabs.account.click();
    await expect(account.sent).toHaveText(/^3(\.\d)? MB$/, { timeout: 1000 });
  }).toPass({ timeout: waitLimit(15_000) });
  await expect(account.received, 'acknowledgements only').toHaveText(/^\d{1,3}(\.\d)? kB$/);
  await expect(account.received).not.toHaveText('0 kB');
});
