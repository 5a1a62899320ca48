import { expect, test } from '../fixtures.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { WebNoticeRoute } from '../routes/frame/web-notice-route.ts';
import { nameLinks } from '../support/service/name-links.ts';
import { texts } from '../support/screens/texts.ts';

test.describe('spec §3: links of basic info', () => {
  test("pages of ours are ours, and the seller's offers are one of the ways to more", async ({
    signedInConsole: page,
    serviceHere,
  }) => {
    const more = new MoreLinks(page);
    await expect(more.to('more.offers')).toHaveAttribute('href', `${serviceHere.consoleUrl}/store/events`);
    await expect(more.to('selfDelete.title')).toHaveAttribute('href', '/self-delete');
    const notice = new WebNoticeRoute(page, '/apps');
    await notice.open();
    await expect(notice.heading).toBeVisible();
    await expect(notice.elsewhere).toHaveCount(0);
  });

  test('a link that must not be opened leads nowhere', async ({ signedInConsole: page }) => {
    await nameLinks(page, { delete_account_url: 'javascript:1', seller_event_url: 'file:///etc/passwd' });
    const more = new MoreLinks(page);
    const named = page.waitForResponse('**/api/basic-info');
    await more.open();
    await named;
    await expect(more.to('about.title')).toBeVisible();
    await expect(more.to('selfDelete.title')).toHaveAttribute('href', '/self-delete');
    await expect(more.to('more.offers')).toHaveCount(0);
  });

  test('an operator has apps, members, plan and deletion elsewhere', async ({ signedInConsole: page }) => {
    const elsewhere = 'https://manage.example';
    await nameLinks(page, {
      manage_apps: `${elsewhere}/apps`,
      manage_members: `${elsewhere}/people`,
      manage_servers: `${elsewhere}/plan`,
      delete_account_url: `${elsewhere}/delete`,
    });
    for (const [path, target] of [
      ['/apps', 'apps'],
      ['/members', 'people'],
      ['/my-service', 'plan'],
    ] as const) {
      const notice = new WebNoticeRoute(page, path);
      await notice.open();
      await expect(notice.elsewhere).toHaveAttribute('href', `${elsewhere}/${target}`);
    }
    await new WebNoticeRoute(page, '/devices').open();
    await expect(new WebNoticeRoute(page, '/devices').heading).toBeVisible();
    await expect(new WebNoticeRoute(page, '/devices').elsewhere).toHaveCount(0);
    const more = new MoreLinks(page);
    await more.open();
    await expect(more.to('selfDelete.title')).toHaveAttribute('href', `${elsewhere}/delete`);
  });
});

test('what the operator says of themselves and promises stands on the pages for it', async ({
  openedConsole: page,
  serviceHere,
}) => {
  const said = { 'about.operator': 'We are Example Net.', 'privacy.operator': 'We log nothing.\nAsk us.' };
  await page.route('**/api/translations/**', (route) =>
    route.fulfill({ json: { code: 0, msg: '', data: said } }),
  );
  // What is still on its way to the page that is left is not kept.
  await page.addInitScript(() => localStorage.clear());
  await page.goto(`${serviceHere.consoleUrl}/about-us`);
  await expect(page.getByRole('region', { name: texts.en['about.operatorTitle'] })).toContainText(
    said['about.operator'],
  );
  await page.goto(`${serviceHere.consoleUrl}/store/privacy`);
  await expect(page.getByRole('region', { name: texts.en['privacy.operatorTitle'] })).toContainText(
    said['privacy.operator'],
  );
});
