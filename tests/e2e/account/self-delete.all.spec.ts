import { expect, test } from '../fixtures.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { MoreLinks } from '../routes/more-links.ts';
import { SelfDeleteRoute } from '../routes/self-delete-route.ts';

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
});
