import { CreateMiniAppRoute, EditMiniAppRoute } from '../routes/manage/mini-app-form-route.ts';
import { ManageMiniAppsRoute } from '../routes/manage/manage-mini-apps-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { drawPicture, pngPicture } from '../support/screens/picture.ts';
import { texts } from '../support/screens/texts.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

const test = keepPagesHere();

const red = [255, 0, 0] as const;
const green = [0, 255, 0] as const;
const blue = [0, 0, 255] as const;
/** Three squares beside each other; the one in the middle is what is shown if nothing is moved. */
const flag = pngPicture(600, 200, (x) => (x < 200 ? red : x < 400 ? green : blue));
const flagFile = { name: 'flag.png', mimeType: 'image/png', buffer: flag };

const wiki = {
  name: 'Wiki',
  type: 'webkit',
  link: 'https://wiki.example.com/',
  icon: '',
  priority: 40,
  requireLabels: ['staff', 'berlin'],
} as const;

test.describe('spec §2: /apps: the whole page on the desktop and in a webview, and /apps/create and /apps/{id} as there:', () => {
  if (isExhaustive)
    test("spec §8: 'app created', with name, type, link, priority and labels, the highest priority first", async ({
      signedInHere: { page },
      serviceHere,
      email,
    }) => {
      await new ManageLinks(page).to('section.apps').click();
      const miniApps = new ManageMiniAppsRoute(page);
      await expect(miniApps.empty).toBeVisible();
      await miniApps.create.click();
      const form = new CreateMiniAppRoute(page);
      await expect(form.heading).toBeFocused();
      await form.name.fill('Wiki');
      await form.type('webkit').check();
      await form.link.fill('https://wiki.example.com/');
      await form.priority.fill('40');
      await form.label.fill('staff');
      await form.label.press('Enter');
      await form.label.pressSequentially('berlin,temporary,');
      await form.labels.filter({ hasText: 'temporary' }).getByRole('button').click();
      await expect(form.labels).toHaveText(['staff', 'berlin']);
      await expect(form.label).toBeFocused();
      await form.save.click();
      await expect(miniApps.created).toBeVisible();
      await expect(miniApps.row('Wiki')).toContainText('https://wiki.example.com/');
      await expect(miniApps.row('Wiki')).toContainText('Priority 40');
      const user = await signInByApi(serviceHere, email);
      expect(must(await user.call('groupApps')).items).toMatchObject([wiki]);

      must(
        await user.call('createApp', { body: { ...wiki, name: 'News', priority: 90, requireLabels: [] } }),
      );
      await new ManageLinks(page).open();
      await new ManageLinks(page).to('section.apps').click();
      await expect(miniApps.rows.getByRole('link')).toHaveCount(2);
      await expect(miniApps.rows.first()).toContainText('News');
    });

  if (isExhaustive)
    test("spec §8: 'app updated', and an app is edited, and deleted after asking", async ({
      signedInHere: { page },
      serviceHere,
      email,
    }) => {
      const user = await signInByApi(serviceHere, email);
      must(await user.call('createApp', { body: { ...wiki, requireLabels: [...wiki.requireLabels] } }));
      const miniApps = new ManageMiniAppsRoute(page);
      await miniApps.open();
      await miniApps.edit('Wiki').click();
      const form = new EditMiniAppRoute(page);
      await expect(form.name).toHaveValue('Wiki');
      await expect(form.link).toHaveValue(wiki.link);
      await expect(form.priority).toHaveValue('40');
      await expect(form.type('webkit')).toBeChecked();
      await expect(form.labels).toHaveText(['staff', 'berlin']);
      await form.name.fill('Handbook');
      await form.priority.fill('100');
      await form.save.click();
      await expect(miniApps.updated).toBeVisible();
      await expect(miniApps.row('Handbook')).toContainText('Priority 100');

      await miniApps.edit('Handbook').click();
      await expect(form.name).toHaveValue('Handbook');
      await page.goBack();

      await miniApps.delete('Handbook').click();
      await miniApps.cancel.click();
      await expect(miniApps.rows).toHaveCount(1);
      await miniApps.delete('Handbook').click();
      await miniApps.confirm.click();
      await expect(miniApps.deleted).toBeVisible();
      await expect(miniApps.empty).toBeVisible();
      await expect(miniApps.heading).toBeFocused();
      expect(must(await user.call('groupApps')).items).toEqual([]);
    });

  test('spec §5: what is wrong in the form is told at its field, and nothing typed is lost', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await signInInApp('android');
    const form = new CreateMiniAppRoute(page);
    await form.open();
    await test.step("spec §5: app name required, error 'app name cannot be empty' once touched", async () => {
      await form.name.focus();
      await expect(form.nameMissing).toBeHidden();
      await page.keyboard.press('Tab');
      await expect(form.nameMissing).toBeVisible();
      await form.link.fill('http://wiki.example.com');
      await form.name.fill('   ');
      await form.save.click();
      await expect(form.nameMissing).toBeVisible();
      await expect(form.name).toBeFocused();
      await expect(form.heading).toBeVisible();
      await form.name.fill('Wiki');
      await expect(form.nameMissing).toBeHidden();
    });

    await test.step("spec §5: app link must start with http, message 'please enter a valid URL'", async () => {
      for (const link of [
        '',
        'wiki.example.com',
        'ftp://wiki.example.com',
        'javascript:alert(1)',
        'http://',
      ]) {
        await form.link.fill(link);
        await form.save.click();
        await expect(form.linkInvalid, link).toBeVisible();
      }
      await expect(form.heading).toBeVisible();
      await form.link.fill('http://wiki.example.com');
      await expect(form.linkInvalid).toBeHidden();
    });

    await test.step("spec §5: priority is an integer 0-100, message 'priority range: 0-100'", async () => {
      for (const priority of ['', '-1', '101', '1.5', '1e1', 'ten']) {
        await form.priority.fill(priority);
        await form.save.click();
        await expect(form.priorityRange, priority).toBeVisible();
      }
      await expect(form.heading).toBeVisible();
      for (const priority of ['0', '100']) {
        await form.priority.fill(priority);
        await expect(form.priorityRange, priority).toBeHidden();
      }
    });

    await test.step('a file that is no picture is refused as an icon', async () => {
      await form.pickIcon({ name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') });
      await expect(form.iconUnreadable).toBeVisible();
      await form.pickIcon(flagFile);
      await expect(form.iconUnreadable).toBeHidden();
      await expect(form.usePicture).toBeEnabled();
      await form.usePicture.click();
      await expect(form.cropDialog).toBeHidden();
    });
    const corners = [
      [2, 2],
      [125, 125],
    ] as const;
    const shown = async () => (await form.icon.locator('img').getAttribute('src')) ?? '';
    await test.step('the icon is cropped square and scaled to 128 px', async () => {
      const middle = await page.evaluate(drawPicture, { url: await shown(), places: corners });
      expect(middle).toEqual({ width: 128, height: 128, colours: [green, green] });
    });

    await test.step('the icon is removed by the keyboard', async () => {
      await tabTo(form.removeIcon);
      await page.keyboard.press('Enter');
      await expect(form.icon.locator('img')).toHaveCount(0);
      await expect(form.icon.getByRole('button')).toBeFocused();
    });

    await test.step('the icon is cropped by the keyboard, too', async () => {
      await form.pickIcon(flagFile);
      await expect(form.usePicture).toBeEnabled();
      await form.zoom.focus();
      for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('ArrowRight');
      await form.cropArea.focus();
      // To the picture's end, however far that is: it stops there.
      for (let presses = 0; presses < 80; presses += 1) await page.keyboard.press('ArrowRight');
      await form.usePicture.click();
      await expect(form.cropDialog).toBeHidden();
    });
    const left = await page.evaluate(drawPicture, { url: await shown(), places: corners });
    expect(left).toEqual({ width: 128, height: 128, colours: [red, red] });

    await test.step("spec §8: 'error saving app' without the service, and nothing typed is lost", async () => {
      await form.label.fill('staff');
      await serviceHere.stop();
      await expectSaid(page, texts.en['error.appSave'], () => form.save.click());
      await expect(form.name).toHaveValue('Wiki');
      await expect(form.link).toHaveValue('http://wiki.example.com');
      await expect(form.label).toHaveValue('staff');
    });
    await serviceHere.start();
    await expectSaid(page, texts.en['appForm.created'], () => form.save.click());
    const miniApps = new ManageMiniAppsRoute(page);
    await expect(miniApps.row('Priority 100').locator('img')).toBeVisible();
    const user = await signInByApi(serviceHere, email);
    const { items } = must(await user.call('groupApps'));
    expect(items).toMatchObject([{ name: 'Wiki', requireLabels: ['staff'] }]);
    expect(await page.evaluate(drawPicture, { url: items[0]?.icon ?? '', places: corners })).toEqual(left);
  });
});
