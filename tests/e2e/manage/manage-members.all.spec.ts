import { expect, test } from '../webview/webview-fixtures.ts';
import { AddMemberRoute } from '../routes/manage/add-member-route.ts';
import { PayerOnlyRoute } from '../routes/manage/payer-only-route.ts';
import { payerOf, signInPayer } from '../support/service/payer.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { MembersRoute } from '../routes/manage/members-route.ts';
import { PurchaseRoute } from '../routes/store/purchase-route.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';

test.describe('spec §6: levels: 3 child (member): group management is for payers:', () => {
  test('a payer who becomes a member meanwhile sees at once that the page is for payers', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await signInInApp('android');
    const add = new AddMemberRoute(page);
    await add.open();
    await expect(add.email).toBeVisible();
    await payerOf(email, serviceHere);
    await expect(new PayerOnlyRoute(page, '/members/add').heading).toBeVisible();
    await expect(add.email).toHaveCount(0);
  });
});

test.describe('spec §2: /members: the whole page on the desktop and in a webview, and /members/add: add a member by email:', () => {
  test("spec §8: 'member added' once invited, which takes a seat, and the invitation is withdrawn after asking", async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    await signInPayer(serviceHere, email);
    const { page } = await launchSignedIn(launchHere, serviceHere, email);
    await new ManageLinks(page).to('section.members').click();
    const members = new MembersRoute(page);
    await expect(members.empty).toBeVisible();
    await expect(members.seats(0, 2)).toBeVisible();

    await members.add.click();
    const add = new AddMemberRoute(page);
    await expect(add.email).toBeFocused();
    await page.keyboard.type(`friend-of-${email}`);
    await page.keyboard.press('Enter');
    await expect(members.added).toBeVisible();
    await expect(members.row(`friend-of-${email}`)).toContainText(/Can accept until /);
    await expect(members.invited).toBeVisible();
    await expect(members.seats(1, 2)).toBeVisible();

    await members.withdraw(`friend-of-${email}`).click();
    await members.cancel.click();
    await expect(members.rows).toHaveCount(1);
    await members.withdraw(`friend-of-${email}`).click();
    await members.confirmWithdrawal.click();
    await expect(members.withdrawn).toBeVisible();
    await expect(members.empty).toBeVisible();
    await expect(members.heading).toBeFocused();
    await expect(members.seats(0, 2)).toBeVisible();
  });

  test('a trial has no seats to give: the page leads to a plan in the place of the form', async ({
    signInInApp,
  }) => {
    const { page } = await signInInApp('android');
    await new ManageLinks(page).to('section.members').click();
    const members = new MembersRoute(page);
    await expect(page.getByText(texts.en['members.needsPlan'])).toBeVisible();
    await expect(members.add).toBeHidden();
    await members.choosePlan.click();
    await expect(new PurchaseRoute(page).heading).toBeVisible();
  });
});
