import { AccountRoute } from '../routes/account-route.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { listenForAnnouncements } from '../support/service/announcements.ts';
import { tickUntil } from '../support/host/tick-until.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe('countdowns are announced, and not every second:', () => {
  test('the 10 s before the payment success leads on; spec §9: toast auto-hide 3 s', async ({
    signedInConsole: page,
  }) => {
    await page.clock.install();
    let paid = false;
    await page.route('**/api/payment-confirm/wordgate', (route) =>
      route.fulfill({
        json: paid ? { code: 0, msg: '', data: null } : { code: 400, msg: 'Not yet', data: null },
      }),
    );
    const confirm = new ConfirmRoute(page);
    await confirm.open('?order_id=1');
    await expect(confirm.failed).toBeVisible();
    const announcements = await listenForAnnouncements(page);
    paid = true;
    await page.clock.pauseAt(Date.now() + 1000);
    await confirm.checkAgain.click();
    await tickUntil(page, () => expect(confirm.successToast).toBeVisible({ timeout: 1000 }));
    await page.clock.runFor(1500);
    await expect(confirm.successToast).toBeVisible();
    await page.clock.runFor(1600);
    await expect(confirm.successToast).toBeHidden();
    await page.clock.runFor(4000);
    await expect(confirm.countdown).toBeVisible();
    expect(await announcements()).toEqual(['Payment success', 'Continuing in 10 seconds']);
    await page.clock.runFor(4000);
    await page.clock.resume();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });
});
