import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { AppsRoute } from '../routes/apps-route.ts';
import { DevicesRoute } from '../routes/devices-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { MembersRoute } from '../routes/members-route.ts';
import { OrdersRoute } from '../routes/orders-route.ts';

/** The lists of the desktop app, and what of a new account is on them. */
const lists = (page: Page) => {
  const [apps, devices, members, orders] = [
    new AppsRoute(page),
    new DevicesRoute(page),
    new MembersRoute(page),
    new OrdersRoute(page),
  ];
  return [
    { section: 'section.apps', list: apps, content: apps.empty },
    { section: 'section.devices', list: devices, content: devices.current },
    { section: 'section.members', list: members, content: members.empty },
    { section: 'section.orders', list: orders, content: orders.empty },
  ] as const;
};

test('service down: each list of spec §2 says so, and is there after a retry', async ({
  signedInHere: { page },
  serviceHere,
}) => {
  const links = new ManageLinks(page);
  for (const { section, list, content } of lists(page)) {
    await test.step(section, async () => {
      await links.open();
      await expect(links.to(section)).toBeVisible();
      await serviceHere.stop();
      await links.to(section).click();
      await expect(list.loading).toBeVisible();
      await expect(list.failed).toBeVisible();
      await serviceHere.start();
      // The app may ask again by itself before anybody does.
      await Promise.race([list.retry.click(), content.waitFor()]);
      await expect(content).toBeVisible();
    });
  }
});
