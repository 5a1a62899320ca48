import { LoginRoute } from '../routes/login-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
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
