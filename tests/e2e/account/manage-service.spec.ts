import type { Page } from 'playwright/test';
import { desktopTransportName, type HostTransport } from '../../../src/shared/host/transport.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { MyServiceRoute } from '../routes/my-service-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { licenseKeys } from '../support/service/service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

const monthMs = 30 * 24 * 3_600_000;

test.describe('spec §2: /my-service: the whole page on the desktop, and in a webview as there', () => {
  test('the plan with its state, end and seats; expired a minute after its end at the latest (spec §4)', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const payer = await signInByApi(serviceHere, email);
    must(await payer.call('consumeLicenseKey', { params: { key: licenseKeys.myService } }));
    must(await payer.call('addMember', { body: { loginId: `friend-of-${email}`, loginType: 'email' } }));
    const app = await launchHere();
    const { page } = app;
    await page.clock.install();
    await arriveSignedIn(page, serviceHere, email);
    const service = new MyServiceRoute(page);
    await service.open();
    await expect(page.getByText('Gift', { exact: true })).toBeVisible();
    await expect(service.active).toBeVisible();
    await expect(page.getByText('1 of 2 used')).toBeVisible();
    await expect(page.getByText(must(await payer.call('myService')).serviceId)).toBeVisible();
    await expect(service.renew).toBeVisible();
    await service.change.click();
    const change = `${serviceHere.apiUrl}/store/change-service#hand-over=`;
    await expect.poll(async () => (await app.externalLinks()).join()).toContain(change);
    await page.clock.fastForward(monthMs + 61_000);
    await expect(service.expired).toBeVisible();
    await expect(service.active).toBeHidden();
  });

  test("spec §8: 'error fetching service' while the service is down, and the plan after a retry", async ({
    signedInHere: { page },
    serviceHere,
  }) => {
    const service = new MyServiceRoute(page);
    await expect(new ManageLinks(page).to('section.service')).toBeVisible();
    // Else what is kept of the plan for an hour stands in for the service (spec §9).
    await forgetStored(page, 'myService');
    await serviceHere.stop();
    await service.open();
    await expect(service.failed).toHaveText(/Error fetching service/);
    await serviceHere.start();
    await service.retry.click();
    await expect(service.none).toBeVisible();
  });
});

/** Removes one of the app's stored answers, as the page itself would, once it is there. */
async function forgetStored(page: Page, key: string): Promise<void> {
  const ask = (method: 'get' | 'remove') =>
    page.evaluate(
      async ([name, channel, stored]) => {
        const host = (globalThis as unknown as Record<string, HostTransport>)[name];
        return await host?.request(channel, stored);
      },
      [desktopTransportName, `storage.${method}`, key] as const,
    );
  await expect.poll(() => ask('get')).not.toBeNull();
  await ask('remove');
}
