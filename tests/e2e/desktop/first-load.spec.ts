import os from 'node:os';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { signInByApi } from '../support/service/api-user.ts';
import { countTransfer } from '../support/service/serve-console.ts';
import { languageTags } from '../support/screens/texts.ts';
import { withoutEvents } from '../support/service/without-events.ts';

test.describe('the first load of the web console', () => {
  test('takes at most 150 kB of gzipped code at login and 210 at the dashboard, without reports of errors', async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    const { deviceId, token } = await signInByApi(serviceHere, email, os.hostname());
    const localStorage = Object.entries({ deviceId, token }).map(([name, value]) => ({ name, value }));
    const { origin } = new URL(serviceHere.consoleUrl);
    const storageState = { cookies: [], origins: [{ origin, localStorage }] };
    for (const { path, most, arrived, session } of [
      { path: '/login', most: 150, arrived: LoginRoute, session: {} },
      { path: '/dashboard', most: 210, arrived: AccountRoute, session: { storageState } },
    ]) {
      const context = await browserHere.newContext({ locale: languageTags.en, ...session });
      await withoutEvents(context);
      const page = await context.newPage();
      const transfer = countTransfer(page);
      const loaded: string[] = [];
      page.on('request', (request) => loaded.push(request.url()));
      await page.goto(serviceHere.consoleUrl + path);
      await expect(new arrived(page).heading).toBeVisible();
      await page.waitForLoadState('networkidle');
      const size = await transfer();
      expect(size, path).toBeGreaterThan(50);
      expect(size, path).toBeLessThanOrEqual(most);
      // An error that nobody catches.
      const isThrown = page.waitForEvent('pageerror');
      await page.evaluate(() => {
        setTimeout(() => {
          throw new Error('told to nobody');
        });
      });
      await isThrown;
      expect(loaded.filter((url) => url.includes('sentry'))).toEqual([]);
      expect(await page.evaluate(() => '__SENTRY__' in window)).toBe(false);
      await context.close();
    }
  });
});
