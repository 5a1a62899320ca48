import path from 'node:path';
import { pageNoteIds, type PageNote, type PageNoteId } from '../../../src/shared/entities.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { NoteDialog } from '../routes/note-dialog.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { openLoginWithNotes, pass, serveNotes } from '../support/service/page-notes.ts';
import { startService } from '../support/service/service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

const note = (change: Partial<PageNote> = {}): PageNote => ({
  id: 'spring',
  title: 'New servers',
  htmlBody: '<p>There are <strong>two new</strong> servers.</p>',
  clickAction: null,
  redisplayLockSeconds: 3600,
  ...change,
});

test.describe('spec §4: pop-up notes', () => {
  test('shown 3 s after page load unless locked; showing one locks the page for 1800 s', async ({
    browserHere,
    serviceHere,
  }) => {
    const { page, asked } = await openLoginWithNotes(browserHere, serviceHere, [
      note(),
      note({ id: 'second', title: 'Second' }),
    ]);
    await expect.poll(asked).toEqual(['vpn-welcome']);
    await pass(page, 2);
    const dialog = new NoteDialog(page, 'New servers');
    await expect(dialog.dialog).toHaveCount(0);
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

  test('confirm opens clickAction if present: a page of the console', async ({
    browserHere,
    serviceHere,
  }) => {
    const { page } = await openLoginWithNotes(browserHere, serviceHere, [note({ clickAction: '/about-us' })]);
    await pass(page, 4);
    await new NoteDialog(page, 'New servers').open.click();
    await expect(page).toHaveURL(/\/about-us$/);
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

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

  test('a note passes axe in light and dark', async ({ browserHere, serviceHere }) => {
    const htmlBody =
      '<h3>New</h3><p>A <a href="https://news.example/">link</a></p><blockquote>Words</blockquote>';
    const { page } = await openLoginWithNotes(browserHere, serviceHere, [
      note({ htmlBody, clickAction: '/x' }),
    ]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await pass(page, 4);
    await expect(new NoteDialog(page, 'New servers').open).toBeVisible();
    await expectNoViolations(page, 'light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectNoViolations(page, 'dark', { only: ['color-contrast'] });
  });

  test('the desktop shows notes too, and opens their links in the system browser', async ({
    launchHere,
    directory,
    email,
  }) => {
    await using service = await startService(path.join(directory, 'service'), undefined, {
      pageNotes: [
        {
          ...note({
            title: 'Welcome aboard',
            htmlBody: '<p>Nice to see you. <a href="https://news.example/desktop">Read more</a></p>',
          }),
          pageName: 'vpn-account',
        },
      ],
    });
    const app = await launchHere({ env: { WAYMAKER_API_URL: service.apiUrl } });
    const { page } = app;
    await arriveSignedIn(page, service, email);
    const dialog = new NoteDialog(page, 'Welcome aboard');
    await expect(dialog.dialog).toBeVisible();
    await dialog.dialog.getByRole('link', { name: 'Read more' }).click();
    await expect.poll(() => app.externalLinks()).toEqual(['https://news.example/desktop']);
    await dialog.confirm.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });
});

/** Spec §2: the page of each note id, on the web console. What only tells to use the desktop app has no note there. */
const webPages: Partial<Record<PageNoteId, string>> = {
  'vpn-account': '/dashboard',
  'vpn-coupon-consume': '/x',
  'vpn-member-add': '/members/add',
  'vpn-app-add': '/apps/create',
  'vpn-app-edit': '/apps/some-id',
};

test('spec §2: pages with a note id that can show a pop-up announcement, on the web, ask for the notes of that id', async ({
  openedConsole: page,
  serviceHere,
  email,
}) => {
  const asked = await serveNotes(page, {});
  await arriveSignedIn(page, serviceHere, email);
  await expect.poll(asked).toContain('vpn-account');
  for (const [id, address] of Object.entries(webPages)) {
    const before = asked().length;
    await page.goto(serviceHere.consoleUrl + address);
    await expect.poll(() => asked().slice(before), address).toEqual([id]);
  }
  for (const address of ['/my-service', '/devices', '/orders', '/members', '/apps', '/about-us', '/logout']) {
    const before = asked().length;
    await page.goto(serviceHere.consoleUrl + address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(asked().slice(before), address).toEqual([]);
  }
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
  await page.route('**/api/orders/1', (route) => route.fulfill({ json: { code: 0, msg: '', data: order } }));
  const visit = async (id: PageNoteId) => {
    const before = asked().length;
    await page.goto(serviceHere.consoleUrl + appPages[id]);
    await expect.poll(() => asked().slice(before), id).toEqual([id]);
  };
  const beforeSignIn: PageNoteId[] = ['vpn-welcome', 'vpn-quick-start'];
  for (const id of beforeSignIn) await visit(id);
  await arriveSignedIn(page, serviceHere, email);
  for (const id of pageNoteIds) if (!beforeSignIn.includes(id)) await visit(id);
});
