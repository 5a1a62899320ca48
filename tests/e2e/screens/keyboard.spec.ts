import type { Locator, Page } from 'playwright/test';
import { AccountRoute } from '../routes/account/account-route.ts';
import { AddMemberRoute } from '../routes/manage/add-member-route.ts';
import { CreateMiniAppRoute, EditMiniAppRoute } from '../routes/manage/mini-app-form-route.ts';
import { ManageMiniAppsRoute } from '../routes/manage/manage-mini-apps-route.ts';
import { DevicesRoute } from '../routes/manage/devices-route.ts';
import type { ListRoute } from '../routes/manage/list-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { MembersRoute } from '../routes/manage/members-route.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { OrdersRoute } from '../routes/manage/orders-route.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { SelfDeleteRoute } from '../routes/account/self-delete-route.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { signInPayer } from '../support/service/payer.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { texts } from '../support/screens/texts.ts';
import { licenseKeys } from '../support/service/service.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

/** Leaves the question without an answer in both ways, then has it done; the focus always has a place. */
async function removeByKeyboard(
  list: ListRoute & { confirm: Locator },
  remove: Locator,
  confirm = list.confirm,
): Promise<void> {
  const { keyboard } = list.page;
  await tabTo(remove);
  await keyboard.press('Enter');
  await expect(list.cancel).toBeFocused();
  // What is lost is said with the question.
  await expect(list.dialog).toHaveAccessibleDescription(/\S/);
  await keyboard.press('Escape');
  await expect(list.dialog).toBeHidden();
  await expect(remove).toBeFocused();
  await keyboard.press('Space');
  await expect(list.cancel).toBeFocused();
  await keyboard.press('Enter');
  await expect(remove).toBeFocused();
  await keyboard.press('Enter');
  await tabTo(confirm);
  await keyboard.press('Enter');
  await expect(list.dialog).toBeHidden();
  await expect(list.heading).toBeFocused();
}

/** Holds a call until the returned is called, which resolves once it is answered. */
async function holdCall(page: Page, call: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  await page.route(
    call,
    async (route) => {
      await held.promise;
      await route.continue();
    },
    { times: 1 },
  );
  return async () => {
    const answered = page.waitForResponse(call);
    held.resolve();
    await answered;
  };
}

/** A call that fails once the returned is called; those after it succeed again. */
async function failSlowly(page: Page, call: string): Promise<() => Promise<void>> {
  const end = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await page.route(
    call,
    async (route) => {
      await end.promise;
      await route.abort();
      ended.resolve();
    },
    { times: 1 },
  );
  return async () => {
    end.resolve();
    await ended.promise;
  };
}

test.describe('by the keyboard alone, and the focus is always somewhere useful:', () => {
  test('members, devices and apps are added, edited and removed', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    const tablet = await signInPayer(serviceHere, email, 'Tablet');
    const { page } = await signInInApp('android');
    const { keyboard } = page;
    const manage = new ManageLinks(page);
    const account = new AccountRoute(page);

    const members = new MembersRoute(page);
    await test.step("members are added and removed (spec §8: 'member added')", async () => {
      await tabTo(manage.to('section.members'));
      await keyboard.press('Enter');
      await expect(members.heading).toBeFocused();
      await tabTo(members.add);
      await keyboard.press('Enter');
      await expect(new AddMemberRoute(page).email).toBeFocused();
      await keyboard.type(`friend-of-${email}`);
      await expectSaid(page, texts.en['members.added'], () => keyboard.press('Enter'));
      await expect(members.heading).toBeFocused();
      await removeByKeyboard(members, members.withdraw(`friend-of-${email}`), members.confirmWithdrawal);
      await expect(members.empty).toBeVisible();
    });

    // Back by the page's own link, then by the browser's.
    await test.step('back to the account by the page’s own link', async () => {
      await tabTo(members.back, 'Shift+Tab');
      await keyboard.press('Enter');
      await expect(account.heading).toBeFocused();
    });
    await test.step('back to the account by the browser', async () => {
      await tabTo(manage.to('section.orders'));
      await keyboard.press('Enter');
      await expect(new OrdersRoute(page).heading).toBeFocused();
      await page.goBack();
      await expect(account.heading).toBeFocused();
    });

    await test.step('devices are revoked', async () => {
      await tabTo(manage.to('section.devices'));
      await keyboard.press('Enter');
      const devices = new DevicesRoute(page);
      await expect(devices.heading).toBeFocused();
      await removeByKeyboard(devices, devices.revoke(tablet.deviceName));
      await expect(devices.rows).toHaveCount(1);
      await page.goBack();
    });

    await test.step("apps are created, edited and deleted (spec §8: 'app created', 'app updated')", async () => {
      await tabTo(manage.to('section.apps'));
      await keyboard.press('Enter');
      const miniApps = new ManageMiniAppsRoute(page);
      await expect(miniApps.heading).toBeFocused();
      await tabTo(miniApps.create);
      await keyboard.press('Enter');
      const create = new CreateMiniAppRoute(page);
      await expect(create.heading).toBeFocused();
      await tabTo(create.name);
      await keyboard.type('Wiki');
      await tabTo(create.type('browser'));
      await keyboard.press('ArrowDown');
      await expect(create.type('webkit')).toBeFocused();
      await expect(create.type('webkit')).toBeChecked();
      await tabTo(create.link);
      await keyboard.type('https://wiki.example/');
      await tabTo(create.save);
      await expectSaid(page, texts.en['appForm.created'], () => keyboard.press('Space'));
      await expect(miniApps.heading).toBeFocused();
      await tabTo(miniApps.edit('Wiki'));
      await keyboard.press('Enter');
      const edit = new EditMiniAppRoute(page);
      await expect(edit.heading).toBeFocused();
      await page.goBack();
      await expect(miniApps.heading).toBeFocused();
      await tabTo(miniApps.edit('Wiki'));
      await keyboard.press('Enter');
      await expect(edit.link).toHaveValue('https://wiki.example/');
      await tabTo(edit.save);
      await expectSaid(page, texts.en['appForm.updated'], () => keyboard.press('Enter'));
      await expect(miniApps.heading).toBeFocused();
      await removeByKeyboard(miniApps, miniApps.delete('Wiki'));
      await expect(miniApps.empty).toBeVisible();
    });
  });

  test('whoever leaves a page before its list is shorter keeps the focus on the next page', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    const tablet = await signInPayer(serviceHere, email, 'Tablet');
    const { page } = await signInInApp('android');
    const manage = new ManageLinks(page);
    await manage.to('section.devices').click();
    const devices = new DevicesRoute(page);
    await devices.revoke(tablet.deviceName).click();
    const answer = await holdCall(page, '**/api/devices/*');
    await devices.confirm.click();
    // The first time closes the dialog, which waits for the answer.
    await page.goBack();
    await expect(devices.confirm).toBeHidden();
    await page.goBack();
    await expect(new AccountRoute(page).heading).toBeFocused();
    await manage.to('section.orders').focus();
    await expectSaid(page, texts.en['devices.revoked'], answer);
    await expect(manage.to('section.orders')).toBeFocused();
  });

  test('a license key is redeemed and the account deleted, also when the service fails on the way', async ({
    signedInConsole: page,
  }) => {
    const { keyboard } = page;
    const more = new MoreLinks(page);
    await test.step("spec §8: 'license recharge success', and its error", async () => {
      await tabTo(more.to('redeem.title'));
      await keyboard.press('Enter');
      const redeem = new RedeemRoute(page);
      await expect(redeem.key).toBeFocused();
      await keyboard.press('Enter');
      await expect(redeem.required).toBeVisible();
      await expect(redeem.key).toBeFocused();
      await keyboard.type('E2E-NO-SUCH-KEY');
      await keyboard.press('Tab');
      await expect(redeem.submit).toBeFocused();
      const failing = await failSlowly(page, '**/api/license-keys/*/consume');
      await keyboard.press('Space');
      await expect(redeem.submit).toBeDisabled();
      await expectSaid(page, texts.en['redeem.failed'], failing);
      await expect(redeem.submit).toBeFocused();
      await redeem.key.fill(licenseKeys.keyboard);
      await expectSaid(page, texts.en['redeem.success'], () => keyboard.press('Enter'));
      await expect(new AccountRoute(page).heading).toBeFocused();
      await expect(page.getByText('Gift')).toBeVisible();
    });

    await test.step("spec §8: 'account deleted', and its error", async () => {
      await tabTo(more.to('selfDelete.title'));
      await keyboard.press('Enter');
      const remove = new SelfDeleteRoute(page);
      await expect(remove.heading).toBeFocused();
      await tabTo(remove.continueButton);
      await keyboard.press('Space');
      await expect(remove.stepHeading('warn')).toBeFocused();
      await tabTo(remove.back);
      await keyboard.press('Enter');
      await expect(remove.stepHeading('confirm')).toBeFocused();
      for (const step of ['warn', 'final'] as const) {
        await tabTo(remove.continueButton);
        await keyboard.press('Enter');
        await expect(remove.stepHeading(step)).toBeFocused();
      }
      await tabTo(remove.submit);
      const failingAgain = await failSlowly(page, '**/api/self');
      await keyboard.press('Enter');
      await expect(remove.submit).toBeDisabled();
      // What cannot be pressed now is not pressed by being pressed again.
      await keyboard.press('Enter');
      const failed = texts.en['selfDelete.failed'];
      const said = await expectSaid(page, failed, failingAgain);
      expect(said.join('\n').split(failed), 'once').toHaveLength(2);
      await expect(remove.submit).toBeFocused();
      await expectSaid(page, texts.en['selfDelete.success'], () => keyboard.press('Enter'));
      await expect(new LoginRoute(page).email).toBeFocused();
    });
  });
});
