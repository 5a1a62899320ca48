import type { Page } from 'playwright/test';
import { expect, test } from './fixtures.ts';
import { LoginRoute } from './routes/login-route.ts';
import { LogoutRoute } from './routes/logout-route.ts';
import { SettingsRoute } from './routes/settings-route.ts';
import { openSettings } from './support/open-settings.ts';

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const [light, dark] = ['rgb(245, 247, 245)', 'rgb(14, 20, 18)'];

/** Chooses another language and the other colours, and finds them again. */
async function chooseLooks(page: Page): Promise<void> {
  const settings = await openSettings(page);
  expect(await background(page)).toBe(light);
  await settings.theme.selectOption('dark');
  await expect.poll(() => background(page)).toBe(dark);
  await settings.speech.selectOption('繁體中文');
  const again = new SettingsRoute(page, 'zh-hant');
  await expect(again.heading).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hant');
  await page.reload();
  await expect(again.heading).toBeVisible();
  await expect(again.theme).toHaveValue('dark');
  await expect.poll(() => background(page)).toBe(dark);
  const logout = new LogoutRoute(page, 'zh-hant');
  await logout.follow();
  await logout.confirm.click();
  await expect(new LoginRoute(page, 'zh-hant').heading).toBeVisible();
  expect(await background(page)).toBe(dark);
}

test('in the desktop app language and colours hold at once, and stay when the user signs out', async ({
  signedInHere: { page },
}) => {
  await chooseLooks(page);
});

test('in the web console there are language and colours alone, and they stay when the user signs out', async ({
  signedInConsole: page,
}) => {
  const settings = await openSettings(page);
  await expect(settings.speech).toBeVisible();
  await expect(page.getByRole('switch')).toHaveCount(0);
  await expect(page.getByRole('radio')).toHaveCount(0);
  await chooseLooks(page);
});

test('each setting of the desktop is explained on demand, and the licences of all parts are there', async ({
  signedInHere: { page },
}) => {
  const settings = await openSettings(page);
  const text = settings.says('settings.stayConnectedText');
  await expect(text).toBeHidden();
  await settings.explain(settings.stayConnected).click();
  await expect(text).toBeVisible();
  await settings.switchOn(settings.stayConnected);
  await settings.switchOff(settings.notifications);
  await page.reload();
  await expect(settings.stayConnected).toBeChecked();
  await expect(settings.notifications).not.toBeChecked();
  await settings.licences.click();
  await expect(page.getByText('react-router')).toBeVisible();
});
