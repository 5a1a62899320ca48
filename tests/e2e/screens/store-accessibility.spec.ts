import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { StorePage, WordgatePage } from '../routes/store-pages.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { buy } from '../support/service/buy.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { plan } from '../support/service/service.ts';
import { openSignedIn } from '../support/tunnel/sign-in.ts';
import { languages, texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

async function expectSound(page: Page, where: string): Promise<void> {
  for (const width of [390, 1200]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await clippedTexts(page), `${where}, ${width}px wide`).toEqual([]);
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    // Nothing is on its way from one theme's colours to the other's.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectNoViolations(page, `${where}, ${colorScheme}`);
  }
}

test('the store of the service passes axe in light and dark and three languages, and nothing is cut off', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  test.setTimeout(waitLimit(180_000));
  const buyer = await openSignedIn(browserHere, serviceHere, email);
  await buy(buyer);
  const payment = buyer.url();
  await buy(buyer);
  const declined = buyer.url();
  await new WordgatePage(buyer).decline.click();
  await buyer.waitForURL(/\/pay\/confirming/);
  await buyer.context().close();
  for (const language of languages) {
    const t = texts[language];
    const page = await openConsole(browserHere, serviceHere, { language });
    for (const [address, title] of [
      ['/store/purchase', 'store.purchaseTitle'],
      ['/store/change-service', 'store.changeTitle'],
      ['/store/quick-start', 'store.quickStartTitle'],
      ['/store/events', 'more.offers'],
      ['/store/privacy', 'section.privacy'],
      ['/wordgate/pay/none', 'pay.title'],
      [payment, 'pay.title'],
      [declined, 'pay.title'],
    ] as const) {
      await page.goto(new URL(address, serviceHere.consoleUrl).href);
      await expect(page.getByRole('heading', { level: 1, name: t[title] })).toBeVisible();
      await expectSound(page, `${address}, ${language}`);
    }
    await page.goto(`${serviceHere.consoleUrl}/store/purchase?email=nobody`);
    await page.getByRole('button', { name: t['store.submit'] }).click();
    await expect(page.getByText(t['login.emailInvalid'])).toBeVisible();
    await expectSound(page, `a wrong entry, ${language}`);
    await page.context().close();
  }
});

test('a plan is bought and paid by the keyboard alone', async ({ browserHere, serviceHere, email }) => {
  const page = await openSignedIn(browserHere, serviceHere, email);
  await page.goto(`${serviceHere.consoleUrl}/store/purchase`);
  const store = new StorePage(page);
  await tabTo(store.plan(plan.title));
  await page.keyboard.press('Tab');
  await expect(store.duration).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(store.total).toHaveText('$19.98');
  await tabTo(store.continueButton);
  await page.keyboard.press('Enter');
  await tabTo(new WordgatePage(page).pay);
  await page.keyboard.press('Enter');
  await expect(new ConfirmRoute(page).heading).toBeVisible();
});
