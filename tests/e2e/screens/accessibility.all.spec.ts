import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { WebFrame } from '../routes/frame/web-frame.ts';
import { pauseClock, tickUntil } from '../support/host/tick-until.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { texts } from '../support/screens/texts.ts';

const test = keepPagesHere();

test('a toast is closed by keyboard, and the focus is where it was, or at the heading if that is gone', async ({
  signedInConsole: page,
}) => {
  const redeem = new RedeemRoute(page);
  await page.clock.install();
  await redeem.open();
  await expect(redeem.heading).toBeVisible();
  // A toast goes by itself, sooner than a busy machine comes to it.
  await pauseClock(page);
  await page.route('**/api/license-keys/**', (route) => route.abort());
  const last = new WebFrame(page).footerLink('section.privacy');
  const close = page.getByRole('button', { name: texts.en['shell.notificationClose'] });
  const reachToast = async () => {
    await redeem.redeem('ANY-KEY');
    await tickUntil(page, () => expect(redeem.failed).toBeVisible({ timeout: 1000 }));
    await tickUntil(page, () => expect(redeem.submit).toBeEnabled({ timeout: 1000 }));
    await tabTo(close);
    await page.keyboard.press('Shift+Tab');
    await expect(last).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(close).toBeFocused();
  };
  await reachToast();
  await page.keyboard.press('Enter');
  await expect(redeem.failed).toHaveCount(0);
  await expect(last).toBeFocused();

  await reachToast();
  await last.evaluate((element) => element.setAttribute('style', 'display: none'));
  await page.keyboard.press('Space');
  await expect(redeem.failed).toHaveCount(0);
  await expect(redeem.heading).toBeFocused();
});
