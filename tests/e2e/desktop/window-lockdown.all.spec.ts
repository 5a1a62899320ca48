import { expect, test } from '../fixtures.ts';
import { EditMiniAppRoute } from '../routes/manage/mini-app-form-route.ts';
import { desktopScreens, publicScreens } from '../support/screens/screens.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';

test.describe('the window keeps its pages in', () => {
  test('the app keeps to its own policy: no page makes the browser complain', async ({
    keptHere: { page },
    serviceHere,
    filledAccount,
  }) => {
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.reload();
    await arriveSignedIn(page, serviceHere, filledAccount.email);
    for (const { route, query } of [
      ...publicScreens(page, 'en').slice(1),
      ...desktopScreens(page, 'en', filledAccount),
    ]) {
      await route.follow(query);
      await expect(route.heading).toBeVisible();
    }
    // What is found from a page below another one, is found from every page.
    const form = new EditMiniAppRoute(page);
    await form.follow(`/${filledAccount.miniAppId}`);
    await expect(form.heading).toBeVisible();
    await page.reload();
    await expect(form.heading).toBeVisible();
    // Whatever was to complain of has been told before this.
    await page.evaluate(() => console.error('the last'));
    await expect.poll(() => complaints).toEqual(['the last']);
  });
});
