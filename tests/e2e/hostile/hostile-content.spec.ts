import type { Browser, Page } from 'playwright/test';
import { pageNote } from '../../../src/shared/constants.ts';
import type { PageNote } from '../../../src/shared/entities.ts';
import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { NoteDialog } from '../routes/account/note-dialog.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { dropKept } from '../support/service/drop-kept.ts';
import { startHostileService } from '../support/service/hostile-service.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { openLoginWithNotes, pass } from '../support/service/page-notes.ts';
import type { TestService } from '../support/service/service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

const test = keepPagesHere();

/** Markup that says so if any of it ever comes to life, and every other way out of a text. */
const script = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
const hostile = `"'>${script}{{constructor}}$t(login.title)`;
const badLinks = [
  'javascript:window.pwned=1',
  ' javascript:window.pwned=1',
  'JaVaScRiPt:window.pwned=1',
  'java\nscript:window.pwned=1',
  'data:text/html,<script>window.pwned=1</script>',
  'file:///etc/passwd',
  '//elsewhere.example/steal',
  '/\\elsewhere.example/steal',
  'https://waymaker.example:pass@elsewhere.example/',
];

async function expectHarmless(page: Page, origin: string, where: string): Promise<void> {
  const found = await page.evaluate(() => ({
    pwned: 'pwned' in window,
    origin: location.origin,
    scripts: document.querySelectorAll('body script').length,
    pictures: document.querySelectorAll('img[src="x"]').length,
    handlers: [...document.querySelectorAll('*')].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith('on')),
    ).length,
    links: [...document.querySelectorAll('a[href]')]
      .map((link) => link.getAttribute('href') ?? '')
      .filter((href) => !/^(?:https?:\/\/|mailto:|\/(?![/\\])|#)/.test(href)),
  }));
  expect(found, where).toEqual({
    pwned: false,
    origin,
    scripts: 0,
    pictures: 0,
    handlers: 0,
    links: [],
  });
}

const note = (change: Partial<PageNote>): PageNote => ({
  id: 'hostile',
  title: 'A note',
  htmlBody: '',
  clickAction: null,
  redisplayLockSeconds: 0,
  ...change,
});

/** The console's sign-in page with this note, shown. */
async function openNote(browser: Browser, service: TestService, change: Partial<PageNote>) {
  const { page } = await openLoginWithNotes(browser, service, [note(change)]);
  await pass(page, pageNote.delaySeconds + 1);
  const { dialog, open, confirm } = new NoteDialog(page, change.title ?? 'A note');
  await expect(dialog).toBeVisible();
  return { page, dialog, open, confirm };
}

/** The note has nothing to open, and closed it leaves the page where it was. */
async function expectNotOpened(
  { consoleUrl }: TestService,
  { page, dialog, open, confirm }: Awaited<ReturnType<typeof openNote>>,
  clickAction: string,
): Promise<void> {
  await expect(open, clickAction).toHaveCount(0);
  await confirm.click();
  await expect(dialog).toHaveCount(0);
  expect(page.url(), clickAction).toBe(`${consoleUrl}/login`);
  expect(page.context().pages(), clickAction).toHaveLength(1);
  await expectHarmless(page, consoleUrl, clickAction);
}

test('script in note html is harmless, and a clickAction that is neither a path of ours nor a web address is not opened', async ({
  browserHere,
  serviceHere,
}) => {
  const [clickAction = ''] = badLinks;
  const { page, dialog, open, confirm } = await openNote(browserHere, serviceHere, {
    id: `../../${hostile}`,
    title: hostile,
    clickAction,
    htmlBody: `
      <p>Harmless words</p>${script}
      <svg onload="window.pwned=1"><script>window.pwned=1</script></svg>
      <math><mtext><table><mglyph><style><img src=x onerror=window.pwned=1></style></mglyph></table></mtext></math>
      <iframe src="javascript:window.pwned=1"></iframe><object data="data:text/html,x"></object><embed src="x">
      <form action="https://elsewhere.example/"><input name="password"><button>Send</button></form>
      <style>body { display: none }</style><link rel="stylesheet" href="https://elsewhere.example/x.css">
      <base href="https://elsewhere.example/"><meta http-equiv="refresh" content="0;url=https://elsewhere.example/">
      <p style="position:fixed;inset:0" class="x" id="root">Over everything</p>
      <img src="http://elsewhere.example/pixel.png"><img src="data:image/svg+xml,<svg onload=window.pwned=1>">
      <video src="https://elsewhere.example/v" onerror="window.pwned=1" autoplay></video>
      ${badLinks.map((link) => `<a href="${link.replaceAll('"', '&quot;')}">Bad link</a>`).join('')}
      <a href="https://news.example/">Good link</a>`,
  });
  await expect(dialog.getByText('Harmless words')).toBeVisible();
  await expectHarmless(page, serviceHere.consoleUrl, 'note');
  const inside = await dialog.evaluate((element) =>
    [...new Set([...element.querySelectorAll('*')].map(({ localName }) => localName))].sort(),
  );
  expect(inside).toEqual(['a', 'button', 'div', 'h2', 'p', 'span']);
  const dressed = dialog.getByText('Over everything');
  expect(await dressed.evaluate((element) => element.getAttributeNames())).toEqual([]);
  await expect(dialog.getByRole('link')).toHaveCount(1);
  await expect(dialog.getByRole('link')).toHaveAttribute('rel', 'noopener noreferrer');
  await expect(new LoginRoute(page).heading).toBeAttached();
  await expectNotOpened(serviceHere, { page, dialog, open, confirm }, clickAction);
});

if (isExhaustive)
  test('no clickAction of these is opened either', async ({ browserHere, serviceHere }) => {
    // Each is a page of its own.
    for (const clickAction of badLinks.slice(1)) {
      const opened = await openNote(browserHere, serviceHere, { clickAction });
      await expectNotOpened(serviceHere, opened, clickAction);
    }
  });

test('what a hostile service sends is only text, and its addresses are not opened', async ({
  openedConsole: page,
  serviceHere,
  email,
}) => {
  const login = new LoginRoute(page);
  await test.step('hostile translations and service messages are only texts', async () => {
    await page.route('**/api/translations/**', (route) =>
      route.fulfill({
        json: {
          code: 0,
          msg: '',
          data: {
            'login.lead': script,
            'login.version': `{{version}}${hostile}`,
            constructor: 'x',
            'no.key': 'x',
          },
        },
      }),
    );
    await page.route('**/api/get-auth-code', (route) =>
      route.fulfill({ json: { code: 500, msg: hostile, data: null } }),
    );
    await dropKept(page, 'translations:en');
    await login.open();
    await expect(page.getByText(script, { exact: false }).first()).toBeVisible();
    await expectSaid(page, script, () => login.askForCode(email), '[aria-live="assertive"]');
    await expectHarmless(page, serviceHere.consoleUrl, 'login');
  });

  await test.step('open redirects through next are harmless', async () => {
    await page.unrouteAll();
    await login.askForCode(email);
    const verify = new VerifyRoute(page);
    await expect(verify.heading).toBeVisible();
    const address = new URL(page.url());
    address.searchParams.set('next', '/\\elsewhere.example/steal');
    address.searchParams.set('email', `${email}${script}`);
    await page.goto(address.href);
    await expect(verify.heading).toBeVisible();
    await expectHarmless(page, serviceHere.consoleUrl, 'verify');
    await verify.type(await serviceHere.mailbox.code(email));
    await expect(new AccountRoute(page).heading).toBeVisible();
    expect(page.url()).toBe(`${serviceHere.consoleUrl}/dashboard`);
  });

  await test.step('hostile addresses of the service are not opened: purchase_url, pay_url, links', async () => {
    const bad = 'javascript:window.pwned=1';
    const reply = (data: unknown) => ({ json: { code: 0, msg: '', data } });
    await page.route('**/api/basic-info', async (route) => {
      const { data } = (await (await route.fetch()).json()) as { data: { links: object } };
      const links = Object.fromEntries(Object.keys(data.links).map((name) => [name, bad]));
      await route.fulfill(reply({ links }));
    });
    const order = {
      id: '1',
      uuid: '00000000-0000-4000-8000-000000000001',
      title: hostile,
      price: 100,
      quantity: 1,
      totalAmount: 100,
      isPaid: false,
      createdAt: new Date(0).toISOString(),
    };
    await page.route('**/api/orders/1', (route) => route.fulfill(reply(order)));
    await page.route('**/api/orders/1/payments/', (route) =>
      route.fulfill(reply({ amount: 100, currency: 'USD', extra: { pay_url: bad } })),
    );
    await dropKept(page, 'basicInfo');
    for (const [path, says] of [
      ['/purchase', 'purchase.refused'],
      ['/pay/order?orderId=1', 'pay.refused'],
    ] as const) {
      await page.goto(serviceHere.consoleUrl + path);
      await expect(page.getByText(texts.en[says]), path).toBeVisible();
      await expectHarmless(page, serviceHere.consoleUrl, path);
    }
    await expect(page.getByRole('contentinfo').getByText(texts.en['section.privacy'])).toBeVisible();
    await expect(page.getByRole('link', { name: texts.en['section.privacy'] })).toHaveCount(0);
  });
});

if (isExhaustive)
  test('desktop: member email, app name and link, server names, devices, orders and labels are only texts', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    test.setTimeout(waitLimit(180_000));
    const time = new Date(0).toISOString();
    const apps = badLinks.map((link, index) => ({
      id: `app-${index}`,
      name: `${hostile}${index}`,
      type: (['browser', 'webkit', 'native'] as const)[index % 3],
      link,
      icon: 'javascript:window.pwned=1',
      priority: index,
      requireLabels: [hostile],
    }));
    await using service = await startHostileService(serviceHere.apiUrl, {
      '/api/group/members': { data: { items: [{ loginId: hostile, loginType: 'email' }] } },
      '/api/invitations': {
        data: { items: [{ id: hostile, from: hostile, service: hostile, expiresAt: time }] },
      },
      '/api/group/apps': { data: { items: apps } },
      '/api/my-apps': { data: { items: apps } },
      '/api/devices': {
        data: { items: [{ deviceId: hostile, name: hostile, lastSeenAt: time, isCurrent: false }] },
      },
      '/api/orders': {
        data: {
          items: [
            {
              id: hostile,
              uuid: hostile,
              title: hostile,
              price: 1,
              quantity: 1,
              totalAmount: 1,
              isPaid: false,
              createdAt: time,
            },
          ],
        },
      },
      '/api/server-groups': {
        data: {
          items: [
            {
              id: 'hostile',
              name: hostile,
              isTrial: true,
              trialExpiredAt: null,
              items: [
                { id: 'one', level: 1, servers: [{ serverId: hostile, name: hostile, domain: hostile }] },
              ],
            },
          ],
        },
      },
      '/api/my-service': { data: { serviceId: hostile, expiredAt: null, seats: 1, service: hostile } },
    });
    const app = await launchHere({ env: { WAYMAKER_API_URL: service.apiUrl } });
    const { page, origin } = app;
    await arriveSignedIn(page, serviceHere, email);
    for (const path of [
      '/dashboard',
      '/members',
      '/devices',
      '/orders',
      '/apps',
      '/mini-apps',
      '/vpn',
      '/my-service',
    ]) {
      await page.goto(origin + path);
      await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible();
      if (path !== '/my-service') await expect(page.getByText(script).first(), path).toBeVisible();
      await expectHarmless(page, origin, path);
    }
    await page.goto(`${origin}/mini-apps`);
    const tiles = page.getByRole('main').getByRole('button', { name: script });
    await expect(tiles).toHaveCount(apps.length);
    for (let index = 0; index < apps.length; index += 1) {
      await tiles.nth(index).click();
      await expectHarmless(page, origin, `mini-app ${index}`);
    }
    expect(await app.externalLinks()).toEqual([]);
  });
