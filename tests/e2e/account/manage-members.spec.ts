import { AddMemberRoute } from '../routes/add-member-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { PayerOnlyRoute } from '../routes/payer-only-route.ts';
import { payerOf } from '../support/service/payer.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

test.describe('spec §2: /members: the whole page on the desktop, and in a webview as there; /members/add: add a member by email:', () => {
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
