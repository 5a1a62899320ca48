import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { WebFrame } from '../routes/frame/web-frame.ts';
import { pauseClock, tickUntil } from '../support/host/tick-until.ts';
import { setVisibility } from '../support/host/visibility.ts';
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
  // The pointer that comes and goes does not end what the focus holds.
  await redeem.failed.hover();
  await page.mouse.move(5, 700);
  await page.clock.runFor(4000);
  await expect(redeem.failed).toBeVisible();
  await expect(close).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(redeem.failed).toHaveCount(0);
  await expect(last).toBeFocused();

  await reachToast();
  await last.evaluate((element) => element.setAttribute('style', 'display: none'));
  await page.keyboard.press('Space');
  await expect(redeem.failed).toHaveCount(0);
  await expect(redeem.heading).toBeFocused();
});

test('a toast waits until the page is seen again', async ({ signedInConsole: page }) => {
  const redeem = new RedeemRoute(page);
  await page.clock.install();
  await redeem.open();
  await expect(redeem.heading).toBeVisible();
  await pauseClock(page);
  await page.route('**/api/license-keys/**', (route) => route.abort());
  await redeem.redeem('ANY-KEY');
  await tickUntil(page, () => expect(redeem.failed).toBeVisible({ timeout: 1000 }));
  await setVisibility(page, 'hidden');
  await page.clock.runFor(60_000);
  await expect(redeem.failed).toBeVisible();
  await setVisibility(page, 'visible');
  await page.clock.runFor(2500);
  await expect(redeem.failed).toBeVisible();
  await page.clock.runFor(1000);
  await expect(redeem.failed).toHaveCount(0);
});
