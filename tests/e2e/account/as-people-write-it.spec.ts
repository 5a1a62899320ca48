import { LoginRoute } from '../routes/login-route.ts';
import { RedeemRoute } from '../routes/redeem-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { signInByApi } from '../support/service/api-user.ts';
import { expect, test } from '../fixtures.ts';

test('an address and a code may be typed and pasted as keyboards and mails write them', async ({
  openedConsole: page,
  serviceHere,
  email,
}) => {
  await new LoginRoute(page).askForCode(email.replace('@', '＠').replaceAll('.', '。'));
  const { digits, success } = new VerifyRoute(page);
  const code = await serviceHere.mailbox.code(email);
  await expect(digits.first()).toBeFocused();
  await page.keyboard.insertText('１');
  await expect(digits.first()).toHaveValue('1');
  await expect(digits.nth(1)).toBeFocused();
  await page.evaluate(
    (pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    },
    `\u200b${code.slice(0, 3)}\u2013${code.slice(3)}.`,
  );
  await expect(success).toBeVisible();
});

for (const path of ['/Device-Login', '/device-login/']) {
  test(`${path} signs in like the page it is, and leaves no token in the address`, async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    const { deviceId, token } = await signInByApi(serviceHere, email);
    await expect(new LoginRoute(page).heading).toBeVisible();
    const query = new URLSearchParams({ deviceId, token, next: '/X/' });
    await page.goto(`${serviceHere.consoleUrl}${path}?${query.toString()}`);
    await expect(new RedeemRoute(page).heading).toBeVisible();
    await expect(page).toHaveURL(`${serviceHere.consoleUrl}/x`);
    await expect(page.getByRole('navigation', { name: 'Breadcrumbs' })).toBeVisible();
  });
}
