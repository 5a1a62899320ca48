import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { MoreLinks } from '../routes/more-links.ts';
import { WebNoticeRoute } from '../routes/web-notice-route.ts';
import { nameLinks } from '../support/service/name-links.ts';

const test = keepPagesHere();

test.describe('spec §3: links of basic info', () => {
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
