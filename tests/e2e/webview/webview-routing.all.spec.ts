import { connectTo } from '../support/tunnel/connect.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { expect, test } from './webview-fixtures.ts';

test.describe('spec §4, route mode: global by default', () => {
  test('lists that are brought up to date do not take back a choice that was made meanwhile', async ({
    signInInApp,
  }) => {
    const { app, page } = await signInInApp('android');
    const settings = await openSettings(page);
    await settings.automatic.check();
    await expect.poll(() => app.routing()).toMatchObject({ mode: 'app' });
    const { promise: chosen, resolve: onChosen } = Promise.withResolvers<void>();
    await page.route('**/api/apps/filter-my-app', async (route) => {
      await chosen;
      await route.fulfill({ json: { code: 0, msg: '', data: { items: ['com.example.other'] } } });
    });
    const answered = page.waitForResponse('**/api/apps/filter-my-app');
    await page.reload();
    await expect(settings.automatic).toBeChecked();
    await settings.global.check();
    await expect.poll(() => app.routing()).toEqual({ mode: 'global' });
    onChosen();
    await (await answered).finished();
    // Once the page has what it asks for later, it has done what it does with that answer.
    await page.evaluate(async () => {
      for (let times = 0; times < 3; times += 1) await (await fetch('/api/basic-info')).text();
    });
    expect(app.routing()).toEqual({ mode: 'global' });
    await expect(settings.global).toBeChecked();
  });
});

test('the connect tab names the networks of a server that sends only these through the tunnel', async ({
  signInInApp,
}) => {
  const { app, page } = await signInInApp('android');
  const connect = await connectTo(page);
  const state = app.state();
  if (state.state !== 'connected') throw new Error('not connected');
  app.become({
    ...state,
    routing: {
      mode: 'split',
      networks: 40,
      prefixes: ['10.0.0.0/8', '2001:db8:5::/48'],
      exceptions: { networks: 1, prefixes: ['10.9.0.0/16'] },
    },
  });
  await connect.openDetails();
  await expect(connect.fact(connect.words('connect.networks')).getByRole('listitem')).toHaveText([
    '10.0.0.0/8',
    '2001:db8:5::/48',
    'and 38 more',
  ]);
  const exceptions = connect.fact(connect.words('connect.networkExceptions'));
  await expect(exceptions.getByRole('listitem')).toHaveText(['10.9.0.0/16']);
  // An older app names none.
  app.become({ ...state, routing: { mode: 'split', networks: 40 } });
  await expect(connect.fact(connect.words('connect.networks'))).toHaveText('40');
  await expect(exceptions).toBeHidden();
});
