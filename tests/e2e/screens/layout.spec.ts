import { AccountRoute } from '../routes/account-route.ts';
import { Tabs } from '../routes/tabs.ts';
import { WebFrame } from '../routes/web-frame.ts';
import { WebNoticeRoute } from '../routes/web-notice-route.ts';
import { texts } from '../support/screens/texts.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

test.describe('spec §2: web layout: header with a login/dashboard button, breadcrumbs, and a footer with links', () => {
  test('links to devices, service, purchase, orders, members, apps and privacy policy; breadcrumbs lead back; no tab bar at all', async ({
    signedInConsole: page,
    serviceHere,
  }) => {
    await expect(new AccountRoute(page).heading).toBeVisible();
    await expect(new Tabs(page).bar).toHaveCount(0);
    for (const section of ['section.connect', 'section.miniApps'] as const) {
      await expect(page.getByRole('link', { name: texts.en[section], exact: true })).toHaveCount(0);
    }
    const frame = new WebFrame(page);
    const paths = {
      devices: '/devices',
      service: '/my-service',
      purchase: '/purchase',
      orders: '/orders',
      members: '/members',
      apps: '/apps',
    } as const;
    await expect(frame.footer.getByRole('link')).toHaveCount(7);
    for (const [section, path] of Object.entries(paths)) {
      const link = frame.footerLink(`section.${section as keyof typeof paths}`);
      await expect(link).toHaveAttribute('href', path);
    }
    const privacy = `${serviceHere.consoleUrl}/store/privacy`;
    await expect(frame.footerLink('section.privacy')).toHaveAttribute('href', privacy);
    await frame.footerLink('section.orders').click();
    await expect(new WebNoticeRoute(page, '/orders').heading).toBeVisible();
    await expect(frame.breadcrumbs.getByText(texts.en['section.orders'])).toHaveAttribute(
      'aria-current',
      'page',
    );
    await frame.breadcrumbs.getByRole('link', { name: texts.en['shell.dashboard'] }).click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });
});
