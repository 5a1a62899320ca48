import { connectTo } from '../support/tunnel/connect.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { routed } from '../support/tunnel/route-lists.ts';
import { createWebviewApp } from './webview-app.ts';
import { expect, test } from './webview-fixtures.ts';

test.describe('spec §4, route mode: global by default', () => {
  test('with automatic routing Android uses app mode: the installed apps that the service names', async ({
    signInInApp,
  }) => {
    const { app, page } = await signInInApp('android');
    const settings = await openSettings(page);
    await expect(settings.global).toBeChecked();
    await settings.automatic.check();
    await expect.poll(() => app.routing()).toEqual({ mode: 'app', routeApps: routed.apps.slice(0, 2) });
    await page.reload();
    await expect(settings.automatic).toBeChecked();
    await settings.global.check();
    await expect.poll(() => app.routing()).toEqual({ mode: 'global' });
  });

  test('with automatic routing iOS uses ip mode: the CN list', async ({ signInInApp }) => {
    const { app, page } = await signInInApp('ios');
    const settings = await openSettings(page);
    await settings.automatic.check();
    await expect.poll(() => app.routing()).toEqual({ mode: 'ip', routeIps: routed.prefixes });
  });

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
    // Long enough for what a page does with an answer.
    await page.waitForTimeout(500);
    expect(app.routing()).toEqual({ mode: 'global' });
    await expect(settings.global).toBeChecked();
  });

  test("spec §8: 'failed to get PAC config' where routing goes by PAC and the service cannot be reached", async ({
    signInInApp,
  }) => {
    const app = createWebviewApp('android');
    app.routingModes = ['global', 'pac'];
    const { page } = await signInInApp('android', { app });
    const settings = await openSettings(page);
    await page.route('**/api/route/pac', (route) => route.abort());
    // Not `check`, which insists on a choice that stays.
    await settings.automatic.click();
    await expect(settings.says('error.pac')).toBeVisible();
    await expect(settings.global).toBeChecked();
    await page.unroute('**/api/route/pac');
    await settings.automatic.check();
    const { domains: routeDomains, blockedDomains } = routed;
    await expect.poll(() => app.routing()).toEqual({ mode: 'pac', pac: { routeDomains, blockedDomains } });
  });

  test("spec §8: 'setting route failed' when the app cannot, and the choice stays what it was", async ({
    signInInApp,
  }) => {
    const { app, page } = await signInInApp('ios');
    const settings = await openSettings(page);
    app.routingFails = true;
    await settings.automatic.click();
    await expect(settings.says('error.routing')).toBeVisible();
    await expect(settings.global).toBeChecked();
    expect(app.routing()).toEqual({ mode: 'global' });
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
