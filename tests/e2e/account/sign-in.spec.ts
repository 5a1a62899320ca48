import { AccountRoute } from '../routes/account/account-route.ts';
import { askForCode } from '../routes/account/ask-for-code.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { WebNoticeRoute } from '../routes/frame/web-notice-route.ts';
import { memoryOf } from '../support/machine/page-memory.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { startHostileService } from '../support/service/hostile-service.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { texts } from '../support/screens/texts.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

const test = keepPagesHere();

test.describe('spec §2: /login: email entry, and /auth-verify: six-digit code entry, on the desktop and in a webview:', () => {
  test('spec §4: auth: an email and the mailed code sign a user in, by the keyboard alone', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    // On the way to the service, what the app is told can be read.
    await using service = await startHostileService(serviceHere.apiUrl, {});
    const app = await launchHere({ env: { WAYMAKER_API_URL: service.apiUrl } });
    const { page } = app;
    const login = new LoginRoute(page);
    await test.step('spec §2: /login: the version string is for the web only', async () => {
      await expect(login.email).toBeFocused();
      await expect(login.version).toBeHidden();
    });
    // A live region that comes into the page together with its text may go unread: both are there before.
    const polite = page.locator('[aria-live="polite"]');
    const assertive = page.locator('[aria-live="assertive"]');
    await expect(assertive).toHaveCount(1);
    await expect(polite).toHaveCount(1);
    await test.step('a failure is announced at once', async () => {
      await page.keyboard.type(email);
      await serviceHere.stop();
      try {
        const enter = () => page.keyboard.press('Enter');
        await expectSaid(page, 'please retry', enter, '[aria-live="assertive"]');
      } finally {
        await serviceHere.start();
      }
      await login.email.press('Enter');
    });

    const verify = new VerifyRoute(page);
    const code = await serviceHere.mailbox.code(email);
    await test.step("spec §8: code 422 on verify: code field error 'verification code incorrect'", async () => {
      await verify.type(code === '000000' ? '111111' : '000000');
      await expect(verify.incorrect).toBeVisible();
      await expect(verify.verifyButton).toBeDisabled();
    });
    await test.step("spec §8: the right code still works, and 'login success' is said politely and goes by itself", async () => {
      const toast = polite.getByText(texts.en['verify.success']);
      await expectSaid(page, texts.en['verify.success'], () => verify.type(code), '[aria-live="polite"]');
      const connect = new ConnectRoute(page);
      await expect(connect.heading).toBeVisible();
      await expect(connect.heading).toBeFocused();
      await expect(toast).toBeHidden();
    });

    await test.step('the focus is always somewhere useful', async () => {
      // From there on Tab reaches everything that can be pressed: the rest of the page, and round to its beginning.
      const reached: string[] = [];
      const skip = texts.en['shell.skip'];
      while (!(reached.includes(skip) && reached.at(-1) === 'Account') && reached.length < 80) {
        await page.keyboard.press('Tab');
        reached.push(await page.evaluate(() => document.activeElement?.textContent ?? ''));
      }
      expect(reached).toEqual(expect.arrayContaining(['Connect', 'Mini apps', 'Account', skip]));
    });

    await test.step('spec §2: /login: a logged-in user is redirected to /dashboard', async () => {
      await login.open();
      await expect(new AccountRoute(page).heading).toBeVisible();
      await expect(page.getByText(email)).toBeVisible();
    });

    await test.step("the token cannot be reached from the page: it is nowhere in the page's memory or storage", async () => {
      const token = /"token":"([^"]+)"/.exec(service.answered().join('\n'))?.[1] ?? '';
      expect(token.length).toBeGreaterThan(20);
      const remembers = await memoryOf(page);
      expect(remembers(email), 'positive control: what the page shows is in its memory').toBe(true);
      expect(remembers(token)).toBe(false);
      const stored = await page.evaluate(() =>
        [...Object.values(localStorage), ...Object.values(sessionStorage), document.cookie].join('\n'),
      );
      expect(stored).not.toContain(token);
      expect(app.output()).not.toContain(token);
    });
  });

  test('spec §6: a page that requires authentication is shown once its user has logged in', async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    await page.clock.install();
    const notice = new WebNoticeRoute(page, '/orders');
    await test.step('spec §6: routes under / redirect to /login with a return state', async () => {
      await notice.open();
      await expect(page).toHaveURL(/\/login$/);
    });
    await test.step('an address is typed as keyboards write it', async () => {
      await new LoginRoute(page).askForCode(email.replace('@', '＠').replaceAll('.', '。'));
    });
    const verify = new VerifyRoute(page);
    const { digits, resend, resendIn } = verify;
    await test.step("spec §8: 'code resent', by the keyboard", async () => {
      await expect(digits.first()).toBeFocused();
      await serviceHere.mailbox.code(email);
      await expect(resendIn).toBeDisabled();
      await serviceHere.advance(61_000);
      await page.clock.fastForward(61_000);
      await tabTo(resend);
      await expectSaid(page, texts.en['verify.resent'], () => page.keyboard.press('Enter'));
      await expect(resendIn).toBeDisabled();
    });
    const code = await serviceHere.mailbox.code(email, 1);
    await expect(digits.first()).toBeFocused();
    await test.step('a code is typed and pasted as keyboards and mails write it', async () => {
      await page.keyboard.insertText('１');
      await expect(digits.first()).toHaveValue('1');
      await expect(digits.nth(1)).toBeFocused();
      const pasted = `\u200b${code.slice(0, 3)}\u2013${code.slice(3)}.`;
      await expectSaid(page, texts.en['verify.success'], () => verify.paste(pasted));
    });
    await expect(notice.heading).toBeVisible();
  });

  if (isExhaustive)
    test('spec §5: login email must match a basic email pattern, and the continue button is disabled otherwise', async ({
      openInApp,
    }) => {
      const { page } = await openInApp('android');
      const login = new LoginRoute(page);
      for (const wrong of ['', 'person', 'person@example', 'person@example.toolong', 'a b@example.com']) {
        await login.email.fill(wrong);
        await expect(login.continueButton, wrong).toBeDisabled();
      }
      await login.email.fill('person@example.com');
      await expect(login.continueButton).toBeEnabled();
    });

  if (isExhaustive)
    test('spec §5: the verify page requires email and authId query parameters, otherwise goes to /login', async ({
      openInApp,
    }) => {
      const { page } = await openInApp('android');
      const login = new LoginRoute(page);
      await expect(login.heading).toBeVisible();
      for (const query of ['?email=person@example.com', '?authId=1', '']) {
        await new VerifyRoute(page).open(query);
        await expect(login.heading).toBeVisible();
      }
    });

  if (isExhaustive)
    test('Back from the code, and the same email again, leads to where the mailed code is typed', async ({
      openInApp,
      serviceHere,
      email,
    }) => {
      const { page } = await openInApp('android');
      const { verify, code } = await askForCode(page, serviceHere, email);
      await expect(verify.heading).toBeVisible();
      await page.goBack();
      const login = new LoginRoute(page);
      await expect(login.email).toHaveValue(email);
      await login.continueButton.click();
      await expect(verify.heading).toBeVisible();
      await expect(verify.resendIn).toBeDisabled();
      expect(await serviceHere.mailbox.count(email)).toBe(1);
      await verify.type(code);
      await expect(new ConnectRoute(page).heading).toBeVisible();
    });
});
