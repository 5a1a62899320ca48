import { AppsRoute } from '../routes/apps-route.ts';
import { DevicesRoute } from '../routes/devices-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { MembersRoute } from '../routes/members-route.ts';
import { MyServiceRoute } from '../routes/my-service-route.ts';
import { OrdersRoute } from '../routes/orders-route.ts';
import { WebFrame } from '../routes/web-frame.ts';
import { WebNoticeRoute } from '../routes/web-notice-route.ts';
import { texts } from '../support/screens/texts.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test('an address with a slash at its end is the same page, with its breadcrumbs', async ({
  signedInConsole: page,
  serviceHere,
}) => {
  await page.goto(`${serviceHere.consoleUrl}/apps/?from=mail`);
  await expect(new WebNoticeRoute(page, '/apps').heading).toBeVisible();
  const crumb = new WebFrame(page).breadcrumbs.getByText(texts.en['section.apps']);
  await expect(crumb).toHaveAttribute('aria-current', 'page');
  await expect(page).toHaveURL(`${serviceHere.consoleUrl}/apps?from=mail`);
});

test('spec §2: /my-service, /devices, /orders, /members, /apps: whole pages in a webview as on the desktop', async ({
  signInInApp,
}) => {
  const { page } = await signInInApp('ios');
  const links = new ManageLinks(page);
  const service = new MyServiceRoute(page);
  const [devices, orders] = [new DevicesRoute(page), new OrdersRoute(page)];
  const [members, apps] = [new MembersRoute(page), new AppsRoute(page)];
  for (const [section, route, content] of [
    ['section.service', service, service.none],
    ['section.devices', devices, devices.current],
    ['section.orders', orders, orders.empty],
    ['section.members', members, members.empty],
    ['section.apps', apps, apps.empty],
  ] as const) {
    await links.open();
    await links.to(section).click();
    await expect(route.heading).toBeVisible();
    await expect(content).toBeVisible();
  }
});
