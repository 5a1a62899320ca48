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

  test('nothing that the keyboard reaches is behind the tabs, on a page that is enlarged to 400 %', async ({
    signInInApp,
  }) => {
    const { page } = await signInInApp('android');
    // Of a window of 1280 by 1024 pixels.
    await page.setViewportSize({ width: 320, height: 256 });
    const settings = new SettingsRoute(page);
    await settings.follow();
    await expect(settings.global).toBeVisible();
    /** What the keyboard reaches, and what of it the tabs cover. */
    const walk = async () => {
      const seen: string[] = [];
      const behind: string[] = [];
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => {
          const focused = document.activeElement!;
          const tabs = document.querySelector('nav')!;
          const [own, bar] = [focused.getBoundingClientRect(), tabs.getBoundingClientRect()];
          return {
            name: `${focused.localName} ${focused.getAttribute('aria-label') ?? focused.id}`,
            isEnd: focused === document.body,
            isBehind: !tabs.contains(focused) && own.bottom > bar.top && own.top < bar.bottom,
          };
        });
        // After the last one, the browser begins again.
        if (at.isEnd) continue;
        seen.push(at.name);
        if (at.isBehind) behind.push(at.name);
      }
      return { seen, behind };
    };
    const { seen, behind } = await walk();
    expect(seen.length).toBeGreaterThan(10);
    expect(behind).toEqual([]);
    await page.addStyleTag({ content: ':root { scroll-padding: 0 !important; }' });
    expect((await walk()).behind, 'the positive control').not.toEqual([]);
  });
});
