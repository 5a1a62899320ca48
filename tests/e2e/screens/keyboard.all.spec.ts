import { expect, test } from '../webview/webview-fixtures.ts';
import { ManageMiniAppsRoute } from '../routes/manage/manage-mini-apps-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { MembersRoute } from '../routes/manage/members-route.ts';
import { signInPayer } from '../support/service/payer.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { SettingsRoute } from '../routes/desktop/settings-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { routed } from '../support/tunnel/route-lists.ts';
import { serverNames } from '../support/service/service.ts';

test.describe('by the keyboard alone, and the focus is always somewhere useful:', () => {
  test('the way to a first app and a first member keeps the focus when the empty list arrives', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    await signInPayer(serviceHere, email);
    const { page } = await openInApp('android');
    await arriveSignedIn(page, serviceHere, email);
    const manage = new ManageLinks(page);
    const miniApps = new ManageMiniAppsRoute(page);
    const members = new MembersRoute(page);
    for (const { section, call, list, add } of [
      { section: 'section.apps', call: '**/api/group/apps*', list: miniApps, add: miniApps.create },
      { section: 'section.members', call: '**/api/group/members*', list: members, add: members.add },
    ] as const) {
      const answered = Promise.withResolvers<void>();
      await page.route(call, async (route) => {
        await answered.promise;
        await route.continue();
      });
      await manage.to(section).click();
      await expect(list.heading).toBeFocused();
      await tabTo(add);
      answered.resolve();
      await expect(list.empty).toBeVisible();
      await expect(add).toBeFocused();
      await page.goBack();
    }
  });

  test('the connect tab: server by typing and arrow keys, routing by arrow keys, Connect and Disconnect by Enter and Space', async ({
    signInInApp,
  }) => {
    const { app, page } = await signInInApp('android');
    const { keyboard } = page;
    await tabTo(new Tabs(page).connect);
    await keyboard.press('Enter');
    const connect = new ConnectRoute(page);
    await expect(connect.heading).toBeFocused();
    await tabTo(connect.serverButton);
    await keyboard.press('Enter');
    await expect(connect.search).toBeFocused();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await expect(connect.chosen(serverNames.untrusted)).toBeVisible();
    await expect(connect.serverButton).toBeFocused();
    await keyboard.press('Enter');
    await keyboard.type(serverNames.first.toLowerCase());
    await expect(connect.server(serverNames.untrusted)).toBeHidden();
    await keyboard.press('Enter');
    await expect(connect.chosen(serverNames.first)).toBeVisible();
    await tabTo(connect.protection);
    await keyboard.press('Enter');
    const settings = new SettingsRoute(page);
    await expect(settings.heading).toBeFocused();
    await tabTo(settings.global);
    await expect(settings.global).toBeFocused();
    await keyboard.press('ArrowDown');
    await expect(settings.automatic).toBeFocused();
    await expect.poll(() => app.routing()).toEqual({ mode: 'app', routeApps: routed.apps.slice(0, 2) });
    await page.goBack();

    await tabTo(connect.connect);
    await keyboard.press('Enter');
    await expect(connect.status('connect.connected')).toBeVisible();
    await expect(connect.disconnect).toBeFocused();
    await keyboard.press('Space');
    await expect(connect.status('connect.disconnected')).toBeVisible();
    await expect(connect.connect).toBeFocused();
    expect(app.connects).toHaveLength(1);
  });
});
