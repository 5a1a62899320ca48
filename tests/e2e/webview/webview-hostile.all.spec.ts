import { MiniAppsRoute } from '../routes/desktop/mini-apps-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { expect, test } from './webview-fixtures.ts';

test.describe('hostile content in a webview', () => {
  test('a list that cannot be loaded says so, and can be loaded again', async ({ signInInApp }) => {
    const { page } = await signInInApp('ios');
    await page.route('**/api/my-apps', (route) => route.abort());
    await new Tabs(page).miniApps.click();
    const miniApps = new MiniAppsRoute(page);
    await expect(miniApps.retry).toBeVisible();
    await page.unroute('**/api/my-apps');
    await miniApps.retry.click();
    await expect(miniApps.empty).toBeVisible();
  });
});
