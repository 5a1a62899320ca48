import type { Page } from 'playwright/test';
import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { ConfirmRoute } from '../routes/store/confirm-route.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { pauseClock, tickUntil } from '../support/host/tick-until.ts';

const test = keepPagesHere();

const call = '**/api/payment-confirm/wordgate';

test.describe('spec §2: /pay/confirming?order_id: payment result', () => {
  test('spec §4: loading, then success (10 s countdown then /#download)', async ({
    signedInConsole: page,
  }) => {
    await page.route(call, (route) => route.abort());
    const confirm = new ConfirmRoute(page);
    await test.step("spec §8: 'error during payment confirmation' while the service cannot be reached, with a back link", async () => {
      await confirm.follow('?order_id=1');
      await expect(confirm.failed).toBeVisible();
      await expect(confirm.error).toBeVisible();
      await confirm.checkAgain.click();
      await expect(confirm.error).toBeVisible();
      await expect(confirm.checkAgain).toBeFocused();
      await confirm.back.click();
      await expect(new AccountRoute(page).heading).toBeFocused();
    });

    await page.unroute(call);
    await page.clock.install();
    const answer = await holdConfirmation(page);
    await confirm.open('?order_id=1');
    await expect(confirm.loading).toBeVisible();
    await pauseClock(page);
    await test.step("spec §8: 'payment success', which goes by itself (spec §9: toast auto-hide 3 s)", async () => {
      await answer({ code: 0, msg: '', data: null });
      await tickUntil(page, () => expect(confirm.heading).toBeVisible({ timeout: 1000 }));
      await expect(confirm.successToast).toBeVisible();
      await expect(confirm.countdown).toHaveText('Continuing in 10 s');
      await page.clock.runFor(1000);
      await expect(confirm.countdown).toHaveText('Continuing in 9 s');
      await expect(confirm.announced).toHaveText('Continuing in 10 seconds');
      await expect(confirm.successToast).toBeVisible();
      await page.clock.runFor(2500);
      await expect(confirm.successToast).toBeHidden();
    });
    await test.step('spec §4: after the countdown, /#download', async () => {
      await page.clock.runFor(5500);
      await expect(confirm.countdown).toHaveText('Continuing in 1 s');
      await expect(confirm.announced).toHaveText('Continuing in 10 seconds');
      await page.clock.runFor(1000);
      await page.clock.resume();
      await expect(page).toHaveURL(/\/dashboard#download$/);
      await expect(new MoreLinks(page).downloadHeading).toBeFocused();
      await expect(new MoreLinks(page).downloadHeading).toBeInViewport();
    });
  });
});

/** The service answers the confirmation when the test lets it. */
async function holdConfirmation(page: Page): Promise<(reply: object) => Promise<void>> {
  const answer = Promise.withResolvers<object>();
  const answered = Promise.withResolvers<void>();
  await page.route(call, async (route) => {
    await route.fulfill({ json: await answer.promise });
    answered.resolve();
  });
  return async (reply) => {
    answer.resolve(reply);
    await answered.promise;
  };
}
