import type { Page } from 'playwright/test';
import { connectivityProbe } from '../../../src/shared/constants.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { texts } from '../support/screens/texts.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { expectClearedBy401 } from '../support/service/cleared-by-401.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { pauseClock } from '../support/host/tick-until.ts';
import { answerProbes, loseNetwork, loseProbes } from '../support/tunnel/probe-pages.ts';
import { expect, test } from '../fixtures.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { setVisibility } from '../support/host/visibility.ts';

const notice = (page: Page) => page.getByRole('status').getByText(texts.en['offline.text']);

/** Test pages that the page asked for so far. */
function countProbes(page: Page): () => number {
  let asked = 0;
  page.on('request', (request) => {
    if (connectivityProbe.pages.some((probe) => probe === request.url())) asked += 1;
  });
  return () => asked;
}

test("what fails in the web console is told and tried again, in one user's day", async ({
  browserHere,
  serviceHere,
  email,
}) => {
  test.setTimeout(waitLimit(180_000));
  const context = await browserHere.newContext({ locale: 'en-US', viewport: { width: 800, height: 800 } });
  await answerProbes(context);
  const page = await context.newPage();
  const probes = countProbes(page);
  // It goes on by itself unless it is paused, and further when the test says so.
  await page.clock.install();
  await page.goto(`${serviceHere.consoleUrl}/login`);
  const login = new LoginRoute(page);
  await expect(login.heading).toBeVisible();

  await test.step('spec §4: reachability is probed every 30 s with two test pages, and an offline notice comes and goes', async () => {
    // Until the service has named the test pages, there is nothing to probe.
    await expect.poll(() => page.evaluate(() => localStorage.getItem('basicInfo') !== null)).toBe(true);
    await setVisibility(page, 'hidden');
    // No probe leaves its frames behind; and none is still to be answered when more time passes.
    const frames = page.locator('object');
    await expect(frames).toHaveCount(0);
    await pauseClock(page);
    const before = probes();
    const more = () => probes() - before;
    await page.clock.runFor(95_000);
    expect(more()).toBe(0);
    await setVisibility(page, 'visible');
    await expect.poll(more).toBe(2);
    await expect(frames).toHaveCount(0);
    await page.clock.runFor(31_000);
    await expect.poll(more).toBe(4);
    await expect(frames).toHaveCount(0);
    await expect(notice(page)).toBeHidden();

    const recover = await loseNetwork(page, 'refused');
    await page.clock.runFor(30_000);
    await expect.poll(more).toBe(6);
    await expect(notice(page)).toBeVisible();
    await recover();
    const recoverProbes = await loseProbes(page, 'refused');
    await page.clock.runFor(30_000);
    await expect.poll(more).toBe(8);
    await expect(notice(page), 'an answered call').toBeHidden();
    await recoverProbes();
    await expect(frames).toHaveCount(0);

    const answerAgain = await loseNetwork(page, 'silent');
    await page.clock.runFor(30_000);
    await expect.poll(more).toBe(10);
    await expect(frames).toHaveCount(2);
    await expect(notice(page)).toBeHidden();
    await page.clock.runFor(5000);
    await expect(notice(page)).toBeVisible();
    await expect(frames).toHaveCount(0);
    await answerAgain();
    await page.clock.runFor(30_000);
    await expect(notice(page)).toBeHidden();
    await page.clock.resume();
  });

  await test.step('reachability is probed at once when the browser says that it went offline or online', async () => {
    const recover = await loseNetwork(page, 'refused');
    await context.setOffline(true);
    await expect(notice(page)).toBeVisible();
    await recover();
    await context.setOffline(false);
    await expect(notice(page)).toBeHidden();
  });

  await test.step("spec §8: network failures: 'send failed, please retry', 'verification failed, please retry', 'login failed, …'", async () => {
    await page.route('**/api/get-auth-code', (route) => route.abort(), { times: 1 });
    await expectSaid(page, texts.en['error.send'], () => login.askForCode(email));
    await expect(login.email).toHaveValue(email);

    // It goes by itself, and so does the next one.
    await page.clock.runFor(15_000);
    await expect(login.sendFailed).toBeHidden();
    await page.route('**/api/get-auth-code', () => Promise.resolve());
    const asked = page.waitForRequest('**/api/get-auth-code');
    await expectSaid(page, texts.en['error.send'], async () => {
      await login.continueButton.click();
      await asked;
      await page.clock.runFor(20_000);
    });
    await page.unroute('**/api/get-auth-code');

    await login.continueButton.click();
    const verify = new VerifyRoute(page);
    const code = await serviceHere.mailbox.code(email);
    await page.route('**/api/auth', (route) => route.abort(), { times: 1 });
    await expectSaid(page, texts.en['error.verification'], () => verify.type(code));
    // A code of six characters stays, and may be tried again.
    await page.route('**/api/auth', (route) => route.fulfill({ json: { code: 0, msg: '', data: 'none' } }), {
      times: 1,
    });
    await expectSaid(page, texts.en['error.login'], () => verify.verifyButton.click());
    await verify.verifyButton.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  const redeem = new RedeemRoute(page);
  await test.step("a page's chunk that cannot be loaded is tried again by itself", async () => {
    // The browser asks for it ahead, as the page says, and then for the import.
    let asked = 0;
    await page.route(/\/assets\/redeem-page-[^/]*\.js$/, async (route) => {
      asked += 1;
      await (asked <= 2 ? route.abort() : route.continue());
    });
    await new MoreLinks(page).to('redeem.title').click();
    await expect(redeem.heading).toBeVisible();
    await expect(page.getByRole('heading', { name: texts.en['crash.title'] })).toHaveCount(0);
    expect(asked, 'it could not be loaded').toBeGreaterThan(2);
  });

  await test.step("code 498: 'auth state changed' when the token changes during a call", async () => {
    const token = await page.evaluate(() => localStorage.getItem('token') ?? '');
    await page.route('**/api/license-keys/*/consume', async (route) => {
      // As another tab does in which somebody signs in meanwhile.
      await page.evaluate(() => localStorage.setItem('token', 'of somebody else'));
      await route.fulfill({ json: { code: 0, msg: '', data: null } });
    });
    const said = await expectSaid(page, texts.en['error.authChanged'], () => redeem.redeem('ANY-KEY'));
    expect(said.join('\n')).not.toContain(texts.en['redeem.success']);
    await page.evaluate((before) => localStorage.setItem('token', before), token);
    await new AccountRoute(page).open();
  });

  await test.step('code 401 in the web console: clear session and go to /login', () =>
    expectClearedBy401(page, serviceHere, email, () =>
      page.evaluate(() => ({
        data: JSON.stringify(localStorage),
        token: localStorage.getItem('token') ?? undefined,
      })),
    ));

  await test.step('a browser that refuses its storage, by throwing, has every page all the same, and says that nothing is kept', async () => {
    await page.addInitScript(() => {
      const get = () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      };
      Object.defineProperty(window, 'localStorage', { get });
    });
    await login.open();
    await signIn(page, serviceHere, `without-storage-${email}`);
    await expect(page.getByText(texts.en['account.memoryTitleWeb'])).toBeVisible();
    await expect(page.getByText(texts.en['error.storage'])).toHaveCount(0);
    await new MoreLinks(page).to('redeem.title').click();
    await expect(redeem.heading).toBeVisible();
  });
});
