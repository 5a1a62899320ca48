import { ManageLinks } from '../routes/manage/manage-links.ts';
import { PayerOnlyRoute } from '../routes/manage/payer-only-route.ts';
import { payerOf } from '../support/service/payer.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

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
      await payerOnly.follow();
      await expect(payerOnly.heading).toBeVisible();
      await expect(page.getByRole('textbox')).toHaveCount(0);
    }
  });
});
