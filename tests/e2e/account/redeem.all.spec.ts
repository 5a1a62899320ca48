import { expect, test } from '../fixtures.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { WebNoticeRoute } from '../routes/frame/web-notice-route.ts';
import { licenseKeys } from '../support/service/service.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';

test.describe('spec §2: /x: enter a license key to redeem (coupon/recharge)', () => {
  test('the desktop app redeems it as well', async ({ signedInHere: { page } }) => {
    await new MoreLinks(page).to('redeem.title').click();
    const redeem = new RedeemRoute(page);
    await redeem.redeem(licenseKeys.desktop);
    await expect(redeem.success).toBeVisible();
    await expect(page.getByText('Gift')).toBeVisible();
  });

  test("spec §8: 'license recharge success', and the plan is there at once, also after a reload", async ({
    signedInConsole: page,
  }) => {
    const account = new AccountRoute(page);
    await expect(account.noPlan).toBeVisible();
    await new MoreLinks(page).to('redeem.title').click();
    const redeem = new RedeemRoute(page);
    await expect(redeem.heading).toBeVisible();
    await expect(redeem.key).toBeFocused();
    await redeem.redeem(`  ${licenseKeys.web} `);
    await expect(redeem.success).toBeVisible();
    await expect(account.heading).toBeFocused();
    await expect(page.getByText('Gift')).toBeVisible();
    await page.reload();
    await expect(page.getByText('Gift')).toBeVisible();
    await expect(account.noPlan).toBeHidden();
  });

  test('a key that cannot be redeemed is refused with a reason, and what was typed stays', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const redeem = new RedeemRoute(page);
    await redeem.open();
    await test.step('spec §5: license key field is required', async () => {
      for (const nothing of ['', '   ']) {
        await redeem.redeem(nothing);
        await expect(redeem.required).toBeVisible();
        await expect(redeem.key).toBeFocused();
        await expect(redeem.key).toHaveAttribute('aria-invalid', 'true');
      }
      await redeem.key.fill('x');
      await expect(redeem.required).toBeHidden();
    });

    await test.step('spec §8: other nonzero codes: toast the server msg as an error', async () => {
      const other = await signInByApi(serviceHere, `other-${email}`);
      must(await other.call('consumeLicenseKey', { params: { key: licenseKeys.twice } }));
      await redeem.redeem(licenseKeys.twice);
      await expect(
        page.getByText('This license key has already been used. Please enter another one.'),
      ).toBeVisible();
      await expect(redeem.key).toHaveValue(licenseKeys.twice);
      await redeem.redeem('../../self');
      await expect(redeem.heading).toBeVisible();
      await expect(redeem.key).toHaveValue('../../self');
    });

    await test.step("spec §8: 'error during license key recharge' while the service cannot be reached", async () => {
      await page.route('**/api/license-keys/**', (route) => route.abort());
      await redeem.redeem('ANY-KEY');
      await expect(redeem.failed).toBeVisible();
      await expect(redeem.key).toHaveValue('ANY-KEY');
      await expect(redeem.submit).toBeEnabled();
    });
  });

  // As by two clicks that a busy phone delivers together.
  test('a key that is sent twice in one turn of the page is redeemed once', async ({
    signedInConsole: page,
  }) => {
    const redeem = new RedeemRoute(page);
    await redeem.open();
    let asked = 0;
    await page.route('**/api/license-keys/**', (route) => {
      asked += 1;
      return route.fulfill({ json: { code: 404, msg: `answer ${asked}`, data: null } });
    });
    await redeem.key.fill('ANY-KEY');
    await redeem.key.evaluate((field: HTMLInputElement) => {
      field.form?.requestSubmit();
      field.form?.requestSubmit();
    });
    await expect(page.getByText('answer 1')).toBeVisible();
    expect(asked).toBe(1);
    await redeem.submit.click();
    await expect(page.getByText('answer 2'), 'positive control').toBeVisible();
  });

  test('what becomes of a key is told on whatever page the user has gone to meanwhile, and leads nowhere', async ({
    signedInConsole: page,
  }) => {
    const redeem = new RedeemRoute(page);
    const elsewhere = new WebNoticeRoute(page, '/devices').heading;
    for (const [json, told] of [
      [{ code: 404, msg: 'no such key', data: null }, page.getByText('no such key')],
      [{ code: 0, msg: '', data: null }, redeem.success],
    ] as const) {
      await redeem.open();
      const { promise: isElsewhere, resolve: goOn } = Promise.withResolvers<void>();
      await page.route('**/api/license-keys/**', async (route) => {
        await isElsewhere;
        await route.fulfill({ json });
      });
      await redeem.redeem('ANY-KEY');
      await page.getByRole('contentinfo').getByRole('link', { name: 'Devices' }).click();
      await expect(elsewhere).toBeVisible();
      goOn();
      await expect(told).toBeVisible();
      await expect(elsewhere).toBeVisible();
      await page.unroute('**/api/license-keys/**');
    }
  });
});
