import { expect, test } from '../webview/webview-fixtures.ts';
import { MyServiceRoute } from '../routes/account/my-service-route.ts';
import { payerOf } from '../support/service/payer.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { PurchaseRoute } from '../routes/store/purchase-route.ts';

test.describe('spec §2: /my-service: the whole page on the desktop, and in a webview as there', () => {
  test('a child member sees the plan of its payer, and no way to buy', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    await payerOf(email, serviceHere);
    const { page } = await signInInApp('android');
    const service = new MyServiceRoute(page);
    await service.open();
    await expect(service.shared).toBeVisible();
    await expect(page.getByText('Gift', { exact: true })).toBeVisible();
    await expect(service.renew).toBeHidden();
  });

  test('without a plan it leads to the purchase page', async ({ signInInApp }) => {
    const { page } = await signInInApp('android');
    await new ManageLinks(page).to('section.service').click();
    const service = new MyServiceRoute(page);
    await expect(service.heading).toBeFocused();
    await expect(service.none).toBeVisible();
    await service.choose.click();
    await expect(new PurchaseRoute(page).heading).toBeVisible();
  });
});
