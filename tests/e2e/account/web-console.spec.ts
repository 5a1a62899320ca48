import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { NotFoundRoute } from '../routes/frame/not-found-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { WebFrame } from '../routes/frame/web-frame.ts';
import { WebNoticeRoute } from '../routes/frame/web-notice-route.ts';
import { texts } from '../support/screens/texts.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';

const test = keepPagesHere();

test('spec §2: the web console needs login, has a layout of its own, and keeps the session over a reload', async ({
  openedConsole: page,
  serviceHere,
  email,
}) => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await test.step('/ needs login, and /login shows a version string', async () => {
    await expect(page).toHaveURL(/\/login$/);
    await expect(new LoginRoute(page).version).toBeVisible();
  });
  await arriveSignedIn(page, serviceHere, email);
  const account = new AccountRoute(page);
  await expect(page.getByText(email)).toBeVisible();
  await expect(account.keptInMemory).toBeHidden();
  await test.step('a logged-in user is redirected from /login to /dashboard, and from /vpn to /', async () => {
    await page.goto(`${serviceHere.consoleUrl}/login`);
    await expect(account.heading).toBeVisible();
    await expect(page).toHaveURL(/\/dashboard$/);
    for (const path of ['/', '/vpn']) {
      await page.goto(`${serviceHere.consoleUrl}${path}`);
      await expect(page).toHaveURL(/\/dashboard$/);
      await expect(account.heading).toBeVisible();
    }
    await expect(page.getByText(email)).toBeVisible();
  });

  await test.step('no tab bar at all', async () => {
    await expect(new Tabs(page).bar).toHaveCount(0);
    for (const section of ['section.connect', 'section.miniApps'] as const)
      await expect(page.getByRole('link', { name: texts.en[section], exact: true })).toHaveCount(0);
  });
  const frame = new WebFrame(page);
  await test.step('a footer with links to devices, service, purchase, orders, members, apps and privacy policy', async () => {
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
  });
  await test.step('breadcrumbs, which lead back to the dashboard', async () => {
    await frame.footerLink('section.orders').click();
    await expect(new WebNoticeRoute(page, '/orders').heading).toBeVisible();
    await expect(frame.breadcrumbs.getByText(texts.en['section.orders'])).toHaveAttribute(
      'aria-current',
      'page',
    );
    await frame.breadcrumbs.getByRole('link', { name: texts.en['shell.dashboard'] }).click();
    await expect(account.heading).toBeVisible();
  });

  await test.step('the skip link comes first', async () => {
    const notFound = new NotFoundRoute(page);
    // A page whose own content does not ask for the focus.
    await notFound.open();
    await expect(notFound.heading).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: texts.en['shell.skip'] })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
  });
  await test.step('no violation of the Content-Security-Policy', () => {
    expect(complaints).toEqual([]);
  });
});
