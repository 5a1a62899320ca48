import { addresses } from '../../lab/network/addresses.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import type { ConnectRoute } from '../routes/connect/connect-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** The highest point of one of the graph's lines: its share of the height, and how long ago it was. */
async function peakIn({ graph }: ConnectRoute, direction: 'sent' | 'received') {
  // Drawn in this order.
  const line = graph.locator('path').nth(direction === 'sent' ? 0 : 1);
  await expect(line).toHaveAttribute('d', /L/);
  const [, , width = 0, height = 0] = ((await graph.getAttribute('viewBox')) ?? '').split(' ').map(Number);
  const points = ((await line.getAttribute('d')) ?? '')
    .split(/[ML]/)
    .filter(Boolean)
    .map((point) => point.trim().split(' ').map(Number));
  const [x = 0, y = 0] = points.toSorted(([, one = 0], [, other = 0]) => one - other)[0] ?? [];
  return { height: 1 - y / height, secondsAgo: width - x };
}
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

  await tabs.connect.click();
  await connected.openDetails();
  await expect(connected.graph).toBeVisible();
  const upload = 'head -c 3000000 /dev/zero | curl --silent --show-error --fail --data-binary @-';
  const destination = `http://${addresses.echo.ipv4}/`;
  const reply = await lab.user.run(['bash', '-c', `${upload} ${destination}`]);
  expect(JSON.parse(reply), 'it went through the tunnel').toMatchObject({ address: addresses.gateway.ipv4 });

  // Some of it more than once, where the machine is busy.
  await expect(connected.sent, 'all of it is in the graph').toHaveText(/^[3-9](\.\d)? MB$/);
  const first = await peakIn(connected, 'sent');
  expect(first.height, 'what was received is low beside it').toBeGreaterThan(
    (await peakIn(connected, 'received')).height,
  );
  // A second further, and a second more to the left.
  await expect
    .poll(async () => (await peakIn(connected, 'sent')).secondsAgo)
    .toBeGreaterThan(first.secondsAgo + 2);
  expect((await peakIn(connected, 'sent')).height).toBe(first.height);

  await connected.disconnect.click();
  await expect(connected.status('connect.disconnected')).toBeVisible();
  // ocserv tells of the session a moment after the app knows; the page asks whenever it is opened.
  await expect(async () => {
    await tabs.connect.click();
    await tabs.account.click();
    await expect(account.sent).toHaveText(/^[3-9](\.\d)? MB$/, { timeout: waitLimit(1000) });
  }).toPass({ timeout: waitLimit(15_000) });
  await expect(account.received, 'acknowledgements only').toHaveText(/^\d{1,3}(\.\d)? kB$/);
  await expect(account.received).not.toHaveText('0 kB');
});
