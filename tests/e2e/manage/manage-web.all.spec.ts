import { expect, test } from '../fixtures.ts';
import { EditMiniAppRoute, CreateMiniAppRoute } from '../routes/manage/mini-app-form-route.ts';
import { texts } from '../support/screens/texts.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { AddMemberRoute } from '../routes/manage/add-member-route.ts';
import { ManageMiniAppsRoute } from '../routes/manage/manage-mini-apps-route.ts';
import { MembersRoute } from '../routes/manage/members-route.ts';
import { WebFrame } from '../routes/frame/web-frame.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { signInPayer } from '../support/service/payer.ts';
import { openSignedIn } from '../support/tunnel/sign-in.ts';

test.describe('spec §2 on the web, where only the lists are left to the desktop app', () => {
  test('/apps/{id} of an entry that is not there says so', async ({ signedInConsole: page }) => {
    await new EditMiniAppRoute(page).open('/00000000-0000-4000-8000-000000000000');
    await expect(page.getByText(texts.en['appForm.unknown'])).toBeVisible();
  });

  test("/members/add: add a member by email (spec §8: 'member added')", async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    const payer = await signInPayer(serviceHere, email);
    const page = await openSignedIn(browserHere, serviceHere, email);
    const add = new AddMemberRoute(page);
    await add.open();
    const crumbs = new WebFrame(page).breadcrumbs;
    await expect(crumbs.getByRole('link')).toHaveText([
      texts.en['shell.dashboard'],
      texts.en['section.members'],
    ]);
    await add.email.fill(`friend-of-${email}`);
    await add.add.click();
    await expect(new MembersRoute(page).added).toBeVisible();
    await expect(new AccountRoute(page).heading).toBeVisible();
    expect(must(await payer.call('members')).items).toMatchObject([
      { loginId: `friend-of-${email}`, loginType: 'email', invitation: { mailFailed: false } },
    ]);
  });

  test("/apps/create and /apps/{id}: create or edit an app entry (spec §8: 'app created', 'app updated')", async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const create = new CreateMiniAppRoute(page);
    await create.open();
    await create.name.fill('Wiki');
    await create.link.fill('https://wiki.example.com');
    await create.save.click();
    const miniApps = new ManageMiniAppsRoute(page);
    await expect(miniApps.created).toBeVisible();
    await expect(new AccountRoute(page).heading).toBeVisible();

    const user = await signInByApi(serviceHere, email);
    const [wiki] = must(await user.call('groupApps')).items;
    const edit = new EditMiniAppRoute(page);
    await edit.open(`/${wiki?.id}`);
    await edit.name.fill('Handbook');
    await edit.save.click();
    await expect(miniApps.updated).toBeVisible();
    expect(must(await user.call('groupApps')).items).toMatchObject([{ id: wiki?.id, name: 'Handbook' }]);
  });
});
