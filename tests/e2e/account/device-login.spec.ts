import { randomUUID } from 'node:crypto';
import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { DeviceLoginRoute } from '../routes/account/device-login-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { WebFrame } from '../routes/frame/web-frame.ts';
import { signInByApi, type ApiUser } from '../support/service/api-user.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

const test = keepPagesHere();

test.describe('spec §2: /device-login?deviceId&token&next&inApp, silent device login', () => {
  test('signs in, goes on to next, leaves nothing of the token behind, and asks before it replaces another user', async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    const { deviceId, token } = await signInByApi(serviceHere, email);
    await expect(new LoginRoute(page).heading).toBeVisible();
    // What that first page asks of the service is not meant here.
    await page.waitForLoadState('networkidle');
    const addresses: string[] = [];
    await page.route('**/api/**', async (route) => {
      // Of a page that is being left, nobody asks for an address any more.
      const address = page.evaluate(() => location.href + JSON.stringify(history.state));
      addresses.push(...(await address.then((one) => [one]).catch(() => [])));
      await route.continue();
    });
    const sent: string[] = [];
    page.on('request', (request) => {
      const { referer = '' } = request.headers();
      if (!request.isNavigationRequest()) sent.push(request.url(), referer);
    });
    await test.step('nothing of the token is in the address before anything else is asked of the service', async () => {
      await new DeviceLoginRoute(page).open(query({ deviceId, token, next: '/x', inApp: '1' }));
      await expect(new RedeemRoute(page).heading).toBeVisible();
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/x');
      expect(sent.filter((text) => text.includes(token))).toEqual([]);
      expect(addresses.length).toBeGreaterThan(0);
      expect(addresses.filter((address) => address.includes(token))).toEqual([]);
      await page.unroute('**/api/**');
    });

    await test.step('nothing of the token is left in the history', async () => {
      const stored = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)));
      expect(stored).toMatchObject({ deviceId, token, inApp: '1' });
      await page.goBack();
      await expect(page).not.toHaveURL(/token/);
      await page.goForward();
      await expect(new RedeemRoute(page).heading).toBeVisible();
    });
    const account = new AccountRoute(page);
    await account.follow();
    await expect(page.getByText(email)).toBeVisible();

    const login = new DeviceLoginRoute(page);
    const other = await signInByApi(serviceHere, `other-${email}`);
    await test.step('asks before somebody else takes the place of who is signed in', async () => {
      await login.open(asDevice(other));
      await expect(login.question).toBeVisible();
      await expect(page.getByText(`You are signed in as ${email}.`)).toBeVisible();
      await login.stay.click();
      await expect(account.heading).toBeVisible();
      await expect(page.getByText(email, { exact: true })).toBeVisible();
    });

    await test.step('does not ask for the same person', async () => {
      const ownTablet = await signInByApi(serviceHere, email, 'Tablet');
      await login.open(asDevice(ownTablet));
      await expect(page.getByText(email, { exact: true })).toBeVisible();
      expect(await page.evaluate(() => localStorage.getItem('deviceId'))).toBe(ownTablet.deviceId);
    });

    await test.step('somebody else takes the place of who is signed in, once that is confirmed', async () => {
      await login.open(asDevice(other));
      await login.signInInstead.click();
      await expect(page.getByText(`other-${email}`)).toBeVisible();
    });
  });

  if (isExhaustive)
    test('spec §5: the next-redirect parameter is sanitized to a path', async ({
      openedConsole: page,
      serviceHere,
      email,
    }) => {
      const { deviceId, token } = await signInByApi(serviceHere, email);
      for (const next of [
        'https://evil.example/',
        '//evil.example/',
        '/\\evil.example/',
        'javascript:alert(1)',
      ]) {
        await new DeviceLoginRoute(page).open(query({ deviceId, token, next }));
        await expect(new AccountRoute(page).heading, next).toBeVisible();
        await expect(page, next).toHaveURL(`${serviceHere.consoleUrl}/dashboard`);
      }
    });

  if (isExhaustive)
    test("spec §8: 'login failed, please retry' for a token that the service does not know", async ({
      openedConsole: page,
    }) => {
      const login = new DeviceLoginRoute(page);
      await login.open(query({ deviceId: randomUUID(), token: 'forged' }));
      await expect(login.failed).toBeVisible();
      await expect(page).toHaveURL(/\/device-login$/);
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
      await login.withEmail.click();
      await expect(new LoginRoute(page).heading).toBeVisible();
    });

  if (isExhaustive)
    test('inApp: the pages are inside an app, so the header and footer of the web are not around them, also later', async ({
      openedConsole: page,
      serviceHere,
      email,
    }) => {
      const { deviceId, token } = await signInByApi(serviceHere, email);
      const frame = new WebFrame(page);
      const account = new AccountRoute(page);
      for (const inApp of ['0', '']) {
        await new DeviceLoginRoute(page).open(query({ deviceId, token, inApp }));
        await expect(account.heading).toBeVisible();
        await expect(frame.header).toBeVisible();
        await expect(frame.footer).toBeVisible();
      }
      await new DeviceLoginRoute(page).open(query({ deviceId, token, inApp: '1', next: '/x' }));
      await expect(new RedeemRoute(page).heading).toBeVisible();
      await expect(frame.header).toBeHidden();
      await expect(frame.footer).toBeHidden();
      await page.reload();
      await expect(new RedeemRoute(page).heading).toBeVisible();
      await expect(frame.header).toBeHidden();
      await expect(frame.footer).toBeHidden();
      await frame.breadcrumbs.getByRole('link').click();
      await expect(account.heading).toBeVisible();
      await expectNoViolations(page, 'the account inside an app');

      // Who signs out leaves nothing behind, this neither.
      await account.signOut.click();
      await new LogoutRoute(page).confirm.click();
      await expect(new LoginRoute(page).heading).toBeVisible();
      await page.reload();
      await expect(frame.header).toBeVisible();
    });
});

const asDevice = ({ deviceId, token }: ApiUser) => query({ deviceId, token });

function query(parameters: Record<string, string>): string {
  return `?${new URLSearchParams(parameters)}`;
}
