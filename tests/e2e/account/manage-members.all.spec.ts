import { AddMemberRoute } from '../routes/add-member-route.ts';
import { PayerOnlyRoute } from '../routes/payer-only-route.ts';
import { payerOf } from '../support/service/payer.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe('spec §6: levels: 3 child (member): group management is for payers:', () => {
  test('who becomes one meanwhile sees at once that it is for payers', async ({
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
