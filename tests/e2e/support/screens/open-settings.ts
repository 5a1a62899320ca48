import { expect, type Page } from 'playwright/test';
import { SettingsRoute } from '../../routes/desktop/settings-route.ts';

/** Goes to the settings of an app with somebody signed in. */
export async function openSettings(page: Page): Promise<SettingsRoute> {
  const settings = new SettingsRoute(page);
  await settings.follow();
  await expect(settings.heading).toBeVisible();
  return settings;
}
