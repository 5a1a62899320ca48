import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { SelfDeleteRoute } from '../routes/account/self-delete-route.ts';

test.describe('spec §2: /self-delete: three-step account deletion', () => {
  test('nothing is deleted on the way: back and keep lead out of every step, and neither a key nor a double click skips one', async ({
    signedInConsole: page,
  }) => {
    const remove = new SelfDeleteRoute(page);
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'DELETE') calls.push(request.url());
    });
    await remove.open();
    await remove.continueButton.focus();
    for (let presses = 1; presses <= 4; presses += 1) await page.keyboard.press('Enter');
    await expect(remove.stepHeading('warn')).toBeFocused();
    await remove.back.click();
    await expect(remove.stepHeading('confirm')).toBeFocused();
    await expect(remove.back).toBeHidden();
    await remove.continueButton.dblclick();
    await expect(remove.stepHeading('warn')).toBeFocused();
    await remove.continueButton.dblclick();
    await expect(remove.stepHeading('final')).toBeFocused();
    await remove.back.dblclick();
    await expect(remove.stepHeading('warn')).toBeFocused();
    await remove.keep.click();
    await expect(new AccountRoute(page).heading).toBeFocused();
    expect(calls).toEqual([]);
  });
});
