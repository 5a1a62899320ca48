import { AddMemberRoute } from '../routes/manage/add-member-route.ts';
import { DevicesRoute } from '../routes/manage/devices-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { MyServiceRoute } from '../routes/account/my-service-route.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { texts } from '../support/screens/texts.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

test('what could not be loaded is loaded again, and an email that could not be added stays', async ({
  signInInApp,
  serviceHere,
  email,
}) => {
  const { app, page } = await signInInApp('android');
  await test.step("spec §8: 'network error, please retry', by the keyboard too", async () => {
    await page.route('**/api/devices', (route) => route.fulfill({ status: 500, body: '' }));
    await tabTo(new ManageLinks(page).to('section.devices'));
    await page.keyboard.press('Enter');
    const devices = new DevicesRoute(page);
    await expect(devices.failed).toHaveText(/Network error, please retry/);
    await tabTo(devices.retry);
    await page.unroute('**/api/devices');
    await page.keyboard.press('Enter');
    await expect(devices.rows).toHaveCount(1);
    await expect(devices.heading).toBeFocused();
  });

  await test.step("spec §8: 'error fetching service'", async () => {
    await page.route('**/api/my-service', (route) => route.abort());
    const service = new MyServiceRoute(page);
    // Else what is kept of the plan for an hour stands in for the service (spec §9).
    app.storage.delete('myService');
    await service.open();
    await expect(service.failed).toHaveText(/Error fetching service/);
    await page.unroute('**/api/my-service');
    await service.retry.click();
    await expect(service.none).toBeVisible();
  });

  const add = new AddMemberRoute(page);
  await test.step('spec §5: member email field is required (email type)', async () => {
    await add.follow();
    await expect(add.email).toHaveAttribute('type', 'email');
    await add.add.click();
    await expect(add.missing).toBeVisible();
    await expect(add.email).toBeFocused();
    await add.email.fill('not an address');
    await add.add.click();
    await expect(add.invalid).toBeVisible();
    await expect(add.heading).toBeVisible();
  });
  await test.step("spec §8: 'error adding member' without the service, its own words with it", async () => {
    await serviceHere.stop();
    await add.email.fill(email);
    await expectSaid(page, texts.en['error.memberAdd'], () => add.add.click());
    await expect(add.email).toHaveValue(email);
    await serviceHere.start();
    await expectSaid(page, 'You cannot add yourself as a member.', () => add.add.click());
  });
  await expect(add.email).toHaveValue(email);
});
