import type { Page } from 'playwright/test';
import { expect, test } from './fixtures.ts';
import { AccountRoute } from './routes/account-route.ts';
import { LoginRoute } from './routes/login-route.ts';
import { LogoutRoute } from './routes/logout-route.ts';
import { texts } from './support/texts.ts';
import { openConsole } from './support/web-console.ts';

/** From now on the browser refuses this, as it does with a full or forbidden storage. */
const breakStorage = (page: Page, method: 'setItem' | 'removeItem') =>
  page.evaluate((name) => {
    Storage.prototype[name] = () => {
      throw new DOMException('refused', 'QuotaExceededError');
    };
  }, method);

test.describe('spec §8: storage failures', () => {
  test("'storage failed'", async ({ browserHere, serviceHere, email }) => {
    const page = await openConsole(browserHere, serviceHere);
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    await breakStorage(page, 'setItem');
    await login.askForCode(email);
    await expect(page.getByText(texts.en['error.storage'])).toBeVisible();
  });

  test("'delete failed'", async ({ signedInConsole: page, serviceHere }) => {
    await page.route('**/api/license-keys/*/consume', (route) =>
      route.fulfill({ json: { code: 0, msg: '', data: null } }),
    );
    await page.goto(`${serviceHere.consoleUrl}/x`);
    await page.getByRole('textbox', { name: texts.en['redeem.key'] }).fill('ANY-KEY');
    await breakStorage(page, 'removeItem');
    await page.getByRole('button', { name: texts.en['redeem.submit'] }).click();
    await expect(page.getByText(texts.en['redeem.success'])).toBeVisible();
    await expect(page.getByText(texts.en['error.delete'])).toBeVisible();
  });

  test("'clear failed'", async ({ signedInConsole: page }) => {
    await new AccountRoute(page).signOut.click();
    await breakStorage(page, 'removeItem');
    await new LogoutRoute(page).confirm.click();
    await expect(page.getByText(texts.en['error.clear'])).toBeVisible();
  });
});
