import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { pageNoteIds, type PageNoteId } from '../../../src/shared/entities.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { NoteDialog } from '../routes/account/note-dialog.ts';
import { note, openLoginWithNotes, pass, serveNotes } from '../support/service/page-notes.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe('spec §4: pop-up notes', () => {
  test('are shown 3 s after page load unless locked, and lock the page for 1800 s', async ({
    browserHere,
    serviceHere,
  }) => {
    const { page, asked } = await openLoginWithNotes(
      browserHere,
      serviceHere,
      [note(), note({ id: 'second', title: 'Second' })],
      { clockStands: true },
    );
    await expect.poll(asked).toEqual(['vpn-welcome']);
    await pass(page, 2);
    const dialog = new NoteDialog(page, 'New servers');
    await expect(dialog.dialog).toHaveCount(0);
    await page.clock.resume();
    await pass(page, 2);
    await expect(dialog.dialog).toBeVisible();
    await expect(dialog.title).toBeFocused();
    await expect(dialog.dialog.getByText('two new')).toBeVisible();
    await dialog.confirm.click();
    await expect(dialog.dialog).toHaveCount(0);

    // Another note waits, but the page is locked, over a restart too.
    await page.clock.fastForward(1_700_000);
    await page.reload();
    await pass(page, 5);
    await expect(new LoginRoute(page).heading).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    expect(asked()).toEqual(['vpn-welcome']);
    await pass(page, 100);
    // Where no probe is answered, the page has asked for notes to see whether the service is.
    const before = asked().length;
    await page.reload();
    await pass(page, 1);
    await expect.poll(() => asked().length).toBeGreaterThan(before);
    await pass(page, 4);
    await expect(new NoteDialog(page, 'Second').dialog).toBeVisible();
  });

  if (isExhaustive)
    for (const how of ['dismiss', 'confirm'] as const) {
      test(`${how} locks the note for its redisplayLockSeconds`, async ({ browserHere, serviceHere }) => {
        const { page } = await openLoginWithNotes(browserHere, serviceHere, [
          note({ redisplayLockSeconds: 7200 }),
        ]);
        const dialog = new NoteDialog(page, 'New servers');
        await pass(page, 4);
        await expect(dialog.dialog).toBeVisible();
        if (how === 'dismiss') await page.keyboard.press('Escape');
        else await dialog.confirm.click();
        await expect(dialog.dialog).toHaveCount(0);
        // The page's own lock is over, the note's is not.
        await page.clock.fastForward(7_000_000);
        const answered = page.waitForResponse('**/api/page-notes/**');
        await page.reload();
        await pass(page, 1);
        await answered;
        await pass(page, 5);
        await expect(dialog.dialog).toHaveCount(0);
        await page.clock.fastForward(300_000);
        const again = page.waitForResponse('**/api/page-notes/**');
        await page.reload();
        await pass(page, 1);
        await again;
        await pass(page, 4);
        await expect(dialog.dialog).toBeVisible();
      });
    }

  if (isExhaustive)
    test('confirm opens clickAction if present: a page of the console', async ({
      browserHere,
      serviceHere,
    }) => {
      const { page } = await openLoginWithNotes(browserHere, serviceHere, [
        note({ clickAction: '/about-us' }),
      ]);
      await pass(page, 4);
      await new NoteDialog(page, 'New servers').open.click();
      await expect(page).toHaveURL(/\/about-us$/);
      await expect(page.getByRole('dialog')).toHaveCount(0);
    });

  if (isExhaustive)
    test('confirm opens clickAction if present: a page of the web, in another tab', async ({
      browserHere,
      serviceHere,
    }) => {
      const { page } = await openLoginWithNotes(browserHere, serviceHere, [
        note({ clickAction: 'https://news.example/spring' }),
      ]);
      await page.context().route('https://news.example/**', (route) => route.fulfill({ body: 'news' }));
      await pass(page, 4);
      const opened = page.context().waitForEvent('page');
      await new NoteDialog(page, 'New servers').open.click();
      const other = await opened;
      await expect(other).toHaveURL('https://news.example/spring');
      expect(await other.evaluate(() => window.opener)).toBeNull();
    });
});

/** The page of each note id in the apps. */
const appPages: Record<PageNoteId, string> = {
  'vpn-welcome': '/login',
  'vpn-quick-start': '/quick-start',
  'vpn-account': '/dashboard',
  'vpn-my-service': '/my-service',
  'vpn-purchase': '/purchase',
  'vpn-coupon-consume': '/x',
  'vpn-device-list': '/devices',
  'vpn-order-list': '/orders',
  'vpn-member-list': '/members',
  'vpn-member-add': '/members/add',
  'vpn-app-list': '/apps',
  'vpn-app-add': '/apps/create',
  'vpn-app-edit': '/apps/some-id',
  'vpn-pay': '/pay/order?orderId=1',
  'vpn-pay-confirm': '/pay/confirming?order_id=1',
};

if (isExhaustive)
  test('spec §2: in the apps all fifteen pages with a note id ask for the notes of that id', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    await expect(new LoginRoute(page).heading).toBeVisible();
    const asked = await serveNotes(page, {});
    const order = {
      id: '1',
      uuid: '1',
      title: 'Plan',
      price: 1,
      quantity: 1,
      totalAmount: 1,
      isPaid: false,
      createdAt: new Date().toISOString(),
    };
    await page.route('**/api/orders/1', (route) =>
      route.fulfill({ json: { code: 0, msg: '', data: order } }),
    );
    const visit = async (id: PageNoteId) => {
      const before = asked().length;
      const url = serviceHere.consoleUrl + appPages[id];
      if (page.url() === url) await page.reload();
      else
        // As links do.
        await page.evaluate((address) => {
          history.pushState(null, '', address);
          dispatchEvent(new PopStateEvent('popstate'));
        }, url);
      await expect.poll(() => asked().slice(before), id).toEqual([id]);
    };
    const beforeSignIn: PageNoteId[] = ['vpn-welcome', 'vpn-quick-start'];
    for (const id of beforeSignIn) await visit(id);
    await arriveSignedIn(page, serviceHere, email);
    for (const id of pageNoteIds) if (!beforeSignIn.includes(id)) await visit(id);
  });
