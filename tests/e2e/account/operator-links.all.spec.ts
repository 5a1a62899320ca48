import { expect, test } from '../fixtures.ts';
import { MoreLinks } from '../routes/more-links.ts';
import { WebNoticeRoute } from '../routes/web-notice-route.ts';
import { nameLinks } from '../support/service/name-links.ts';

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
});
