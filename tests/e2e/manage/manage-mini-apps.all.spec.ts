import { CreateMiniAppRoute, EditMiniAppRoute } from '../routes/manage/mini-app-form-route.ts';
import { ManageMiniAppsRoute } from '../routes/manage/manage-mini-apps-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe('spec §2: /apps: the whole page on the desktop and in a webview, and /apps/create and /apps/{id} as there:', () => {
  test('an app that is not there says so once, and offers the way back instead of a retry', async ({
    signInInApp,
  }) => {
    const { page } = await signInInApp('android');
    const form = new EditMiniAppRoute(page);
    await form.open('/no-such-app');
    await expect(form.unknown).toBeVisible();
    await expect(page.getByText('Not found.')).toHaveCount(0);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(new ManageMiniAppsRoute(page).retry).toHaveCount(0);
    await form.back.click();
    await expect(new ManageMiniAppsRoute(page).empty).toBeVisible();
  });

  test('a link may begin with http in capitals', async ({ signInInApp }) => {
    const { page } = await signInInApp('android');
    const form = new CreateMiniAppRoute(page);
    await form.open();
    await form.name.fill('Wiki');
    await form.link.fill('HTTP://wiki.example.com/');
    await form.save.click();
    await expect(new ManageMiniAppsRoute(page).row('Wiki')).toContainText('http://wiki.example.com/');
  });

  test('more apps than a page holds come on request', async ({ signInInApp, serviceHere, email }) => {
    const { page } = await signInInApp('android');
    const user = await signInByApi(serviceHere, email);
    const miniApp = { type: 'browser', icon: '', link: 'https://a.example/' } as const;
    for (let index = 0; index < 51; index += 1) {
      must(
        await user.call('createApp', {
          body: { ...miniApp, name: `App ${index}`, priority: index, requireLabels: [] },
        }),
      );
    }
    const miniApps = new ManageMiniAppsRoute(page);
    await miniApps.follow();
    await expect(miniApps.rows).toHaveCount(50);
    await expect(miniApps.row('App 50')).toBeVisible();
    // Without a network, that is said, and the button stays.
    const nextPage = /[?&]cursor=/;
    await page.route(nextPage, (route) => route.abort());
    await miniApps.more.click();
    await expect(page.getByText('Network error, please retry').first()).toBeVisible();
    await expect(miniApps.rows).toHaveCount(50);
    await page.unroute(nextPage);
    await miniApps.more.click();
    await expect(miniApps.rows).toHaveCount(51);
    await expect(miniApps.more).toBeHidden();
    await expect(page.locator(':focus')).toBeVisible();
    await miniApps.delete('App 49').click();
    await miniApps.confirm.click();
    await expect(miniApps.rows).toHaveCount(50);
    await expect(miniApps.more).toBeHidden();
  });
});
