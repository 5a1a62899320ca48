import { expect, type Page } from 'playwright/test';
import { ConnectionLogRoute } from '../../routes/desktop/connection-log-route.ts';
import { DevicesRoute } from '../../routes/manage/devices-route.ts';
import { LicencesRoute } from '../../routes/desktop/licences-route.ts';
import { SettingsRoute } from '../../routes/desktop/settings-route.ts';
import type { Screen } from './screens.ts';
import type { TextLanguage } from './texts.ts';

/** Screens of which there is a picture, and that are like others to a test. */

/** The settings with all that they say on demand. */
export function explainedScreen(page: Page, language: TextLanguage): Screen {
  const folded = page.getByRole('main').locator('button[aria-expanded=false]');
  return {
    name: 'settings-explained',
    route: new SettingsRoute(page, language),
    act: async () => {
      // They come after the heading.
      await expect(folded.first()).toBeVisible();
      while ((await folded.count()) > 0) await folded.first().click();
      await expect(folded).toHaveCount(0);
    },
  };
}

/** The settings with all that they say on demand, and what stands below them once something has happened. */
export function settingsScreens(page: Page, language: TextLanguage): Screen[] {
  const log = new ConnectionLogRoute(page, language);
  return [
    explainedScreen(page, language),
    { name: 'licences', route: new LicencesRoute(page, language) },
    { name: 'connection-log-filled', route: log, sees: log.events.first() },
  ];
}

/** A list of the account while it loads, and once it could not be loaded. */
export function listScreens(page: Page, language: TextLanguage): Screen[] {
  const route = new DevicesRoute(page, language);
  const calls = '**/api/devices*';
  const leave = () => page.unroute(calls);
  return [
    {
      name: 'list-loading',
      route,
      loads: true,
      prepare: () => page.route(calls, () => undefined),
      sees: route.loading,
      leave,
    },
    {
      name: 'list-failed',
      route,
      loads: true,
      prepare: () =>
        page.route(calls, (call) => call.fulfill({ status: 503, json: { code: 503, msg: '', data: null } })),
      sees: route.failed,
      leave,
    },
  ];
}
