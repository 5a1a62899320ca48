import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { countTransfer } from '../support/service/serve-console.ts';
import { languageTags } from '../support/screens/texts.ts';
import { withoutEvents } from '../support/service/without-events.ts';

test.describe('the first load of the web console', () => {
  test('takes at most 150 kB of JavaScript and CSS, gzipped, at login, and 210 at the dashboard', async ({
    browserHere,
    serviceHere,
    signedInConsole,
  }) => {
    const storageState = await signedInConsole.context().storageState();
    for (const { path, most, arrived, session } of [
      { path: '/login', most: 150, arrived: LoginRoute, session: {} },
      { path: '/dashboard', most: 210, arrived: AccountRoute, session: { storageState } },
    ]) {
      const context = await browserHere.newContext({ locale: languageTags.en, ...session });
      await withoutEvents(context);
      const page = await context.newPage();
      const transfer = countTransfer(page);
      await page.goto(serviceHere.consoleUrl + path);
      await expect(new arrived(page).heading).toBeVisible();
      await page.waitForLoadState('networkidle');
      const size = await transfer();
      expect(size, path).toBeGreaterThan(50);
      expect(size, path).toBeLessThanOrEqual(most);
      await context.close();
    }
  });
});
