import { expect, test } from '../fixtures.ts';
import { MoreLinks } from '../routes/more-links.ts';
import { RedeemRoute } from '../routes/redeem-route.ts';
import { licenseKeys } from '../support/service/service.ts';

test.describe('spec §2: /x: enter a license key to redeem (coupon/recharge)', () => {
  test('the desktop app redeems it as well', async ({ signedInHere: { page } }) => {
    await new MoreLinks(page).to('redeem.title').click();
    const redeem = new RedeemRoute(page);
    await redeem.redeem(licenseKeys.desktop);
    await expect(redeem.success).toBeVisible();
    await expect(page.getByText('Gift')).toBeVisible();
  });
});
