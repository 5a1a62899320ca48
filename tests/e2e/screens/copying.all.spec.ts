import { pauseClock, tickUntil } from '../support/host/tick-until.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { texts } from '../support/screens/texts.ts';
import { tunnelScreens } from '../support/screens/tunnel-screens.ts';
import { openScreen } from '../support/screens/screens.ts';
import type { WebviewApp } from '../webview/webview-app.ts';
import { expect, test } from '../webview/webview-fixtures.ts';
import type { Page } from 'playwright/test';

/** The details of a tunnel with addresses to copy. */
async function openAddresses(page: Page, app: WebviewApp) {
  const connect = await openConnectTab(page);
  await openScreen(tunnelScreens(page, 'en', app).find(({ name }) => name === 'connected-details')!);
  return connect;
}

test('if the clipboard is refused, a text says how to copy it all the same, each time', async ({
  signInInApp,
}) => {
  const { app, page } = await signInInApp('android');
  // Every permission but those in the list is refused.
  await page.context().grantPermissions([]);
  const connect = await openAddresses(page, app);
  const copy = connect.copyOf(/IPv6/);
  const refused = page.getByText(texts.en['error.copy']);
  // The text goes by itself, after three seconds that are the test's.
  await page.clock.install();
  await pauseClock(page);
  for (let press = 0; press < 2; press += 1) {
    await copy.click();
    await tickUntil(page, () => expect(refused).toBeVisible({ timeout: 1000 }));
    await page.clock.runFor(4000);
    await expect(refused).toBeHidden();
  }
  await expect(connect.fact(/IPv6/).getByText(texts.en['connect.copied'])).toHaveCount(0);
});
