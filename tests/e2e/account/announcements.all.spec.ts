import { AccountRoute } from '../routes/account/account-route.ts';
import { ConfirmRoute } from '../routes/store/confirm-route.ts';
import { listenForAnnouncements } from '../support/service/announcements.ts';
import { pauseClock, tickUntil } from '../support/host/tick-until.ts';
import { expect, test } from '../webview/webview-fixtures.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { connectTo, openConnectTab } from '../support/tunnel/connect.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test.describe('countdowns are announced, and not every second:', () => {
  test('the 10 s before the payment success leads on (spec §9: toast auto-hide 3 s)', async ({
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
    await pauseClock(page);
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

  test('the 60 s before another code', async ({ openedConsole: page, email }) => {
    await page.clock.install();
    await new LoginRoute(page).askForCode(email);
    const verify = new VerifyRoute(page);
    await expect(verify.resendIn).toBeDisabled();
    const announcements = await listenForAnnouncements(page);
    await pauseClock(page);
    await page.clock.runFor(5000);
    await expect(verify.resendIn).toBeDisabled();
    expect(await announcements()).toEqual([]);
    await page.clock.fastForward(50_000);
    // The frames that probe the network every 30 s are answered before more time passes.
    await expect(page.locator('object')).toHaveCount(0);
    await page.clock.runFor(12_000);
    await expect(verify.resend).toBeEnabled();
    await page.clock.runFor(5000);
    expect(await announcements()).toEqual(['You can ask for a new code now']);
  });

  test('the time that is left of a trial, its end, and what becomes of the tunnel', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    await page.clock.install();
    // Otherwise, the page would notice that the service's clock does not go with its own.
    const hideServiceTime = () => {
      const get = Reflect.get(Headers.prototype, 'get');
      Headers.prototype.get = function getButNoDate(name: string) {
        return name === 'date' ? null : get.call(this, name);
      };
    };
    await page.addInitScript(hideServiceTime);
    await page.evaluate(hideServiceTime);
    const offered = page.waitForResponse('**/api/server-groups');
    await signIn(page, serviceHere, email);
    const { data } = (await (await offered).json()) as {
      data: { items: { isTrial: boolean; trialExpiredAt: string }[] };
    };
    const end = Date.parse(data.items.find(({ isTrial }) => isTrial)?.trialExpiredAt ?? '');
    const minute = 60_000;
    /** Goes to when so many minutes of the trial are left, however many have passed meanwhile. */
    const passUntil = async (left: number) => {
      const now = await page.evaluate(() => Date.now());
      await page.clock.fastForward(end - left * minute - now);
      await page.clock.runFor(3000);
    };
    await passUntil(110);
    const connect = await openConnectTab(page);
    await expect(connect.trialLeft).toBeVisible();
    const announcements = await listenForAnnouncements(page);
    const said: string[] = [];
    /** All that has been said of it since the tunnel came and went. */
    const saidOfTrial = async () => {
      said.push(...(await announcements()).filter((text) => /trial|plan/i.test(text)));
      return said;
    };
    await connectTo(page);
    await expect.poll(async () => (await announcements()).join('\n')).toContain('through Aurora');
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    await expect.poll(async () => (await announcements()).join('\n')).toContain('Not connected');

    // From here on, no time passes but what the test says.
    await pauseClock(page);
    await passUntil(69);
    expect(await saidOfTrial()).toEqual([]);
    await passUntil(58);
    const ending = (time: string) => `Your trial ends in less than ${time}`;
    await expect.poll(saidOfTrial).toEqual([ending('60 minutes')]);
    // Among the servers, too.
    await page.clock.resume();
    await connect.openServers();
    await pauseClock(page);
    await passUntil(9);
    await expect.poll(saidOfTrial).toEqual([ending('60 minutes'), ending('10 minutes')]);
    await page.keyboard.press('Escape');
    await tickUntil(page, () => expect(connect.search).toBeHidden({ timeout: 1000 }));
    await passUntil(0.9);
    const milestones = ['60 minutes', '10 minutes', '1 minute'].map(ending);
    await expect.poll(saidOfTrial).toEqual(milestones);
    await passUntil(-1);
    await expect
      .poll(saidOfTrial)
      .toEqual([...milestones, 'You need a plan to connectYour traffic goes straight to the internet']);
    await expect(connect.trialLeft).toBeHidden();
  });
});
