import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { SelfDeleteRoute } from '../routes/account/self-delete-route.ts';
import { signInByApi } from '../support/service/api-user.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test.describe('spec §2: /self-delete: three-step account deletion', () => {
  test('a second tap that the browser does not count as one is ignored too', async ({
    signedInConsole: page,
  }) => {
    const remove = new SelfDeleteRoute(page);
    await page.clock.install();
    await remove.open();
    await expect(remove.stepHeading('confirm')).toBeVisible();
    await page.clock.pauseAt(Date.now() + 60_000);
    // Without Playwright's waiting for the button to be enabled.
    const place = (await remove.continueButton.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const tap = () => page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
    await tap();
    await expect(remove.stepHeading('warn')).toBeFocused();
    const next = (await remove.continueButton.boundingBox()) ?? place;
    await page.mouse.click(next.x + next.width / 2, next.y + next.height / 2);
    await expect(remove.continueButton).toBeDisabled();
    await expect(remove.stepHeading('warn')).toBeVisible();
    await page.clock.runFor(1000);
    await remove.continueButton.click();
    await expect(remove.stepHeading('final')).toBeFocused();
  });

  test('the desktop app deletes it as well, and forgets the session', async ({ signedInHere: { page } }) => {
    await new MoreLinks(page).to('selfDelete.title').click();
    const remove = new SelfDeleteRoute(page);
    await remove.continueButton.click();
    await remove.continueButton.click();
    await remove.submit.click();
    await expect(remove.success).toBeVisible();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await page.reload();
    await expect(new LoginRoute(page).heading).toBeVisible();
  });

  test('spec §4: after a confirm, a warning of what is erased and a final confirm, the account is deleted', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const elsewhere = await signInByApi(serviceHere, email);
    await new MoreLinks(page).to('selfDelete.title').click();
    const remove = new SelfDeleteRoute(page);
    await test.step('spec §4: initial confirm', async () => {
      await expect(remove.heading).toBeFocused();
      await expect(remove.stepHeading('confirm')).toBeVisible();
      await expect(remove.currentStep).toHaveText('Confirm');
      await expect(page.getByRole('main').getByText(email)).toBeVisible();
    });

    await test.step('spec §4: warning that all assets and plans are erased', async () => {
      await remove.continueButton.click();
      await expect(remove.stepHeading('warn')).toBeFocused();
      await expect(remove.currentStep).toHaveText('What is lost');
      for (const lost of ['Plan', 'Orders', 'Devices', 'Group'] as const) {
        await expect(remove.says(`selfDelete.warn${lost}`)).toBeVisible();
      }
    });
    await test.step('spec §4: final confirm, then the delete call', async () => {
      await remove.continueButton.click();
      await expect(remove.stepHeading('final')).toBeFocused();
      await expect(remove.continueButton).toBeHidden();
      await remove.submit.click();
    });

    await test.step("spec §8: 'account deleted'", async () => {
      await expect(remove.success).toBeVisible();
      await expect(new LoginRoute(page).heading).toBeVisible();
      expect(await elsewhere.call('userInfo')).toEqual({ ok: false, failure: { kind: 'unauthorized' } });
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
    });

    // The address may sign up again, and does not come back to the page of deletion.
    await signIn(page, serviceHere, email);
    await expect(page).toHaveURL(/\/dashboard$/);
  });

  test('whoever leaves the page while the account is being deleted is signed out all the same', async ({
    signedInConsole: page,
  }) => {
    const remove = new SelfDeleteRoute(page);
    await remove.open();
    await remove.continueButton.click();
    await remove.continueButton.click();
    const { promise: isWanted, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/api/self', async (route) => {
      await isWanted;
      await route.continue();
    });
    await remove.submit.click();
    await remove.keep.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
    answer();
    await expect(remove.success).toBeVisible();
    await expect(new LoginRoute(page).heading).toBeVisible();
  });

  test("spec §8: 'error during account deletion' while the service cannot be reached, and then it still works", async ({
    signedInConsole: page,
  }) => {
    const remove = new SelfDeleteRoute(page);
    await remove.open();
    await remove.continueButton.click();
    await remove.continueButton.click();
    await page.route('**/api/self', (route) => route.abort());
    await remove.submit.click();
    await expect(remove.failed).toBeVisible();
    await expect(remove.stepHeading('final')).toBeVisible();
    await page.unroute('**/api/self');
    await remove.submit.click();
    await expect(remove.success).toBeVisible();
  });
});
