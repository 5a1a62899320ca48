import { AddMemberRoute } from '../routes/add-member-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { MembersRoute } from '../routes/members-route.ts';
import { PayerOnlyRoute } from '../routes/payer-only-route.ts';
import { PurchaseRoute } from '../routes/purchase-route.ts';
import { payerOf, signInPayer } from '../support/service/payer.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

test.describe('spec §2: /members: the whole page on the desktop, and in a webview as there; /members/add: add a member by email:', () => {
  test("spec §8: 'member added' once invited, which takes a seat; the invitation is withdrawn after asking", async ({
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

  test("spec §5: member email field is required (email type); spec §8: 'error adding member' without the service, its own words with it; the email stays", async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await signInInApp('android');
    const add = new AddMemberRoute(page);
    await add.open();
    await expect(add.email).toHaveAttribute('type', 'email');
    await add.add.click();
    await expect(add.missing).toBeVisible();
    await expect(add.email).toBeFocused();
    await add.email.fill('not an address');
    await add.add.click();
    await expect(add.invalid).toBeVisible();
    await expect(add.heading).toBeVisible();

    await serviceHere.stop();
    await add.email.fill(email);
    await add.add.click();
    await expect(add.failed).toBeVisible();
    await expect(add.email).toHaveValue(email);
    await serviceHere.start();
    await add.add.click();
    await expect(page.getByText('You cannot add yourself as a member.')).toBeVisible();
    await expect(add.email).toHaveValue(email);
  });
});

test.describe('spec §6: levels: 3 child (member): group management is for payers:', () => {
  test('a child is not offered members, apps and purchase, and their pages say why', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    await payerOf(email, serviceHere);
    const { page } = await signInInApp('android');
    const links = new ManageLinks(page);
    await expect(links.to('section.devices')).toBeVisible();
    await expect(page.getByText('Gift', { exact: true })).toBeVisible();
    for (const section of ['members', 'apps', 'purchase'] as const) {
      await expect(links.to(`section.${section}`)).toBeHidden();
    }
    for (const path of ['/members', '/members/add', '/apps', '/apps/create'] as const) {
      const payerOnly = new PayerOnlyRoute(page, path);
      await payerOnly.open();
      await expect(payerOnly.heading).toBeVisible();
      await expect(page.getByRole('textbox')).toHaveCount(0);
    }
  });
});
