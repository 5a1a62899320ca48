import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { AddMemberRoute } from '../routes/add-member-route.ts';
import { CreateAppRoute, EditAppRoute } from '../routes/app-form-route.ts';
import { AppsRoute } from '../routes/apps-route.ts';
import { DevicesRoute } from '../routes/devices-route.ts';
import { MembersRoute } from '../routes/members-route.ts';
import { MyServiceRoute } from '../routes/my-service-route.ts';
import { OrdersRoute } from '../routes/orders-route.ts';
import { must } from '../support/service/api-user.ts';
import { signInPayer } from '../support/service/payer.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { pngPicture } from '../support/screens/picture.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

const widths = [390, 1200] as const;
const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk';

async function expectSound(page: Page, where: string, setDark: (dark: boolean) => Promise<void>) {
  for (const dark of [false, true]) {
    await setDark(dark);
    await expectNoViolations(page, `${where}, ${dark ? 'dark' : 'light'}`);
  }
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(await overflow(), `${where} at ${width} px`).toBeLessThanOrEqual(0);
  }
}

test('management pages with long contents, asking and with errors: axe in both themes, nothing wider than the window', async ({
  launchHere,
  serviceHere,
  email,
}) => {
  test.setTimeout(waitLimit(240_000));
  const user = await signInPayer(serviceHere, email, longWord);
  const friend = `${longWord.replace('ä', 'ae').toLowerCase()}.${email}`;
  must(await user.call('addMember', { body: { loginId: friend, loginType: 'email' } }));
  const app = { name: longWord, type: 'native', icon: '', priority: 100 } as const;
  const link = `https://example.com/${longWord.repeat(3)}`;
  const { id } = must(
    await user.call('createApp', { body: { ...app, link, requireLabels: [longWord, '标签'] } }),
  );
  const desktop = await launchHere();
  const { page } = desktop;
  // Colours half-way between two themes are nobody's contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const setDark = (dark: boolean) => desktop.setDark(dark);
  await arriveSignedIn(page, serviceHere, email);

  const devices = new DevicesRoute(page);
  const members = new MembersRoute(page);
  const apps = new AppsRoute(page);
  for (const list of [devices, members, apps]) {
    await list.open();
    await expect(list.heading).toBeVisible();
    await expect(list.rows.getByRole('button').first()).toBeVisible();
    await expectSound(page, page.url(), setDark);
    await list.rows.getByRole('button').first().click();
    await expect(list.dialog).toBeVisible();
    await expectSound(page, `${page.url()}, asking`, setDark);
  }
  for (const route of [new OrdersRoute(page), new MyServiceRoute(page), new AddMemberRoute(page)]) {
    await route.open();
    await expect(route.heading).toBeVisible();
    await expect(page.getByRole('status', { name: texts.en['shell.loading'] })).toHaveCount(0);
    await expectSound(page, page.url(), setDark);
  }
  const edit = new EditAppRoute(page);
  await edit.open(`/${id}`);
  await expect(edit.name).toHaveValue(longWord);
  await expectSound(page, page.url(), setDark);

  const create = new CreateAppRoute(page);
  await create.open();
  await create.save.click();
  await expect(create.nameMissing).toBeVisible();
  await expectSound(page, `${page.url()}, with errors`, setDark);
  const picture = pngPicture(300, 200, (x, y) => [x % 256, y % 256, 0]);
  await create.pickIcon({ name: 'picture.png', mimeType: 'image/png', buffer: picture });
  await expect(create.usePicture).toBeEnabled();
  await expectSound(page, `${page.url()}, cropping`, setDark);
});
