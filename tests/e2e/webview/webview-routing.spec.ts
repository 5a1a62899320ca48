import { openSettings } from '../support/screens/open-settings.ts';
import { texts } from '../support/screens/texts.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { routed } from '../support/tunnel/route-lists.ts';
import { expect } from './webview-fixtures.ts';
import { keepPagesHere } from './kept-pages.ts';

const test = keepPagesHere();

test.describe('spec §4, route mode: global by default', () => {
  test('with automatic routing Android uses app mode, and the choice stays what it was when that fails', async ({
    signInInApp,
  }) => {
    const { app, page } = await signInInApp('android');
    const settings = await openSettings(page);
    await expect(settings.global).toBeChecked();
    await test.step("spec §8: 'setting route failed' when the app cannot", async () => {
      app.routingFails = true;
      // Not `check`, which insists on a choice that stays.
      await expectSaid(page, texts.en['error.routing'], () => settings.automatic.click());
      await expect(settings.global).toBeChecked();
      expect(app.routing()).toEqual({ mode: 'global' });
    });
    await test.step('app mode has the installed apps that the service names', async () => {
      app.routingFails = false;
      await settings.automatic.check();
      await expect.poll(() => app.routing()).toEqual({ mode: 'app', routeApps: routed.apps.slice(0, 2) });
      await page.reload();
      await expect(settings.automatic).toBeChecked();
      await settings.global.check();
      await expect.poll(() => app.routing()).toEqual({ mode: 'global' });
    });

    await test.step("spec §8: 'failed to get PAC config' where routing goes by PAC and the service cannot be reached", async () => {
      app.routingModes = ['global', 'pac'];
      await page.route('**/api/route/pac', (route) => route.abort());
      await page.reload();
      await expectSaid(page, texts.en['error.pac'], () => settings.automatic.click());
      await expect(settings.global).toBeChecked();
      await page.unroute('**/api/route/pac');
      await settings.automatic.check();
      const { domains: routeDomains, blockedDomains } = routed;
      await expect.poll(() => app.routing()).toEqual({ mode: 'pac', pac: { routeDomains, blockedDomains } });
    });
  });

  test('with automatic routing iOS uses ip mode: the CN list', async ({ signInInApp }) => {
    const { app, page } = await signInInApp('ios');
    const settings = await openSettings(page);
    await settings.automatic.check();
    await expect.poll(() => app.routing()).toEqual({ mode: 'ip', routeIps: routed.prefixes });
  });
});
