import path from 'node:path';
import type { PageNoteId } from '../../../src/shared/entities.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { NoteDialog } from '../routes/account/note-dialog.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { note, openLoginWithNotes, pass, serveNotes } from '../support/service/page-notes.ts';
import { startService } from '../support/service/service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { expect, test } from '../fixtures.ts';

test.describe('spec §4: pop-up notes', () => {
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
  const before = asked().length;
  for (const address of ['/my-service', '/devices', '/orders', '/members', '/apps', '/about-us', '/logout']) {
    await page.goto(serviceHere.consoleUrl + address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // What is asked for with the page has been by the time that it has asked for something else.
    await page.evaluate(async () => void (await (await fetch('/api/basic-info')).text()));
    expect(asked().slice(before), address).toEqual([]);
  }
  // The positive control: after all of them it is the only one that asks.
  await page.goto(`${serviceHere.consoleUrl}/x`);
  await expect.poll(() => asked().slice(before)).toEqual(['vpn-coupon-consume']);
});
