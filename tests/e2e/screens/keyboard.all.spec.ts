import { AppsRoute } from '../routes/apps-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { MembersRoute } from '../routes/members-route.ts';
import { signInPayer } from '../support/service/payer.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

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
    const apps = new AppsRoute(page);
    const members = new MembersRoute(page);
    for (const { section, call, list, add } of [
      { section: 'section.apps', call: '**/api/group/apps*', list: apps, add: apps.create },
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
});
