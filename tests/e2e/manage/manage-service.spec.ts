import { MyServiceRoute } from '../routes/account/my-service-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { licenseKeys } from '../support/service/service.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

test.describe('spec §2: /my-service: the whole page on the desktop, and in a webview as there', () => {
  test('the plan with its state, end and seats, expired a minute after its end at the latest (spec §4)', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const payer = await signInByApi(serviceHere, email);
    must(await payer.call('consumeLicenseKey', { params: { key: licenseKeys.myService } }));
    must(await payer.call('addMember', { body: { loginId: `friend-of-${email}`, loginType: 'email' } }));
    const app = await launchSignedIn(launchHere, serviceHere, email);
    const { page } = app;
    await page.clock.install();
    const service = new MyServiceRoute(page);
    await service.open();
    await expect(page.getByText('Gift', { exact: true })).toBeVisible();
    await expect(service.active).toBeVisible();
    await expect(page.getByText('1 of 2 used')).toBeVisible();
    const { serviceId, expiredAt } = must(await payer.call('myService'));
    await expect(page.getByText(serviceId)).toBeVisible();
    await expect(service.renew).toBeVisible();
    await service.change.click();
    const change = `${serviceHere.apiUrl}/store/change-service#hand-over=`;
    await expect.poll(async () => (await app.externalLinks()).join()).toContain(change);
    // The app's own clock stays: of a page's alone the service's time would be told apart. By the service's own, which
    // other tests move on, the plan ends later than in 30 days.
    await page.clock.fastForward(Date.parse(expiredAt ?? '') - Date.now() + 61_000);
    await expect(service.expired).toBeVisible();
    await expect(service.active).toBeHidden();
  });
});
