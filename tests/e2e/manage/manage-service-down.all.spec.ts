import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { ManageMiniAppsRoute } from '../routes/manage/manage-mini-apps-route.ts';
import { DevicesRoute } from '../routes/manage/devices-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { MembersRoute } from '../routes/manage/members-route.ts';
import { texts } from '../support/screens/texts.ts';
import { OrdersRoute } from '../routes/manage/orders-route.ts';

/** The lists of the desktop app, and what of a new account is on them. */
const lists = (page: Page) => {
  const [miniApps, devices, members, orders] = [
    new ManageMiniAppsRoute(page),
    new DevicesRoute(page),
    new MembersRoute(page),
    new OrdersRoute(page),
  ];
  return [
    { section: 'section.apps', list: miniApps, content: miniApps.empty },
    { section: 'section.devices', list: devices, content: devices.current },
    { section: 'section.members', list: members, content: members.empty },
    { section: 'section.orders', list: orders, content: orders.empty },
  ] as const;
};

/** Notes in the page whether a status of this kind is ever there from now on: it may be gone before somebody looks. */
async function noteLoading(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate((loading) => {
    const noted = { wasLoading: false };
    Object.assign(globalThis, { noted });
    const look = () => {
      noted.wasLoading ||= document.querySelector(`main output[aria-label="${loading}"]`) !== null;
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  }, texts.en['shell.loading']);
  return () =>
    page.evaluate(() => (globalThis as unknown as { noted: { wasLoading: boolean } }).noted.wasLoading);
}

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
      const wasLoading = await noteLoading(page);
      await links.to(section).click();
      await expect(list.failed).toBeVisible();
      expect(await wasLoading()).toBe(true);
      await serviceHere.start();
      // The app may ask again by itself before anybody does.
      await Promise.race([list.retry.click(), content.waitFor()]);
      await expect(content).toBeVisible();
    });
  }
});
