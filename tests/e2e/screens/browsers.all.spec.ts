import type { Page } from 'playwright/test';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { keepFilledAccount } from '../support/screens/long-account.ts';
import {
  appScreens,
  openScreen,
  signedOutScreens,
  webScreens,
  webviewScreens,
  type Screen,
} from '../support/screens/screens.ts';
import { chooserScreens } from '../support/screens/server-list-screens.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe.configure({ timeout: waitLimit(300_000) });
const here = keepFilledAccount(test);

/** Opens each of them, and looks at it. */
async function open(
  page: Page,
  screens: readonly Screen[],
  look: (name: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const failures: string[] = [];
  const note = (error: Error) => failures.push(error.message);
  page.on('pageerror', note);
  for (const screen of screens) {
    await openScreen(screen);
    await expect
      .soft(page.getByRole('heading', { name: texts.en['crash.title'] }), screen.name)
      .toHaveCount(0);
    expect.soft(failures.splice(0), screen.name).toEqual([]);
    await look(screen.name);
    await screen.leave?.();
  }
  page.off('pageerror', note);
}

const withoutCrash = (screens: readonly Screen[]) => screens.filter(({ name }) => name !== 'crash');

/** What browsers have learned after those that the pages are built for: Chrome 111, Firefox 114, Safari 16.4. */
function forgetWhatIsNewer(): void {
  const newer: [object, string[]][] = [
    [Promise, ['withResolvers', 'try']],
    [Map, ['groupBy']],
    [Object, ['groupBy']],
    [Array, ['fromAsync']],
    [Set.prototype, ['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
    [String.prototype, ['isWellFormed', 'toWellFormed']],
    [URL, ['parse', 'canParse']],
    [AbortSignal, ['any']],
    [Intl, ['Segmenter', 'DurationFormat']],
    [Element.prototype, ['checkVisibility']],
    [globalThis, ['Temporal', 'scheduler', 'requestIdleCallback', 'Iterator']],
  ];
  for (const [owner, names] of newer) for (const name of names) Reflect.deleteProperty(owner, name);
}

/** As a browser that translates a page: what React writes is replaced, at once and each time. */
function translate(): void {
  const replace = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found: Node[] = [root];
    while (walker.nextNode()) found.push(walker.currentNode);
    for (const text of found) {
      const { parentElement: parent } = text;
      if (!(text instanceof Text) || !(parent instanceof HTMLElement) || text.data.trim() === '') continue;
      if (parent.closest('font, head, script, style, select, [translate=no]')) continue;
      const font = document.createElement('font');
      font.textContent = text.data;
      text.replaceWith(font);
    }
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) for (const node of [target, ...addedNodes]) replace(node);
  }).observe(document, { childList: true, characterData: true, subtree: true });
}

for (const [kind, prepare] of [
  ['a browser as old as those that pages are built for', forgetWhatIsNewer],
  ['a browser that translates pages', translate],
] as const) {
  test(`${kind} shows each page of the web console`, async ({ browserHere }) => {
    const { service, account } = here;
    const page = await openConsole(browserHere, service);
    await page.addInitScript(prepare);
    await page.reload();
    await open(page, withoutCrash(signedOutScreens(page, 'en')));
    await arriveSignedIn(page, service, account.email);
    await open(page, webScreens(page, 'en', account));
  });

  test(`${kind} shows each page of a phone's app`, async ({ openInApp }) => {
    const { service, account } = here;
    const { app, page } = await openInApp('android', { url: `${service.consoleUrl}/` });
    await page.addInitScript(prepare);
    await page.reload();
    await arriveSignedIn(page, service, account.email);
    await open(page, [...appScreens(page, 'en', account), ...webviewScreens(page, 'en', app)]);
    app.become({ state: 'disconnected' });
    await open(page, chooserScreens(page, 'en', app));
  });
}

test('a page is printed dark on light, whatever is chosen for the screen', async ({ browserHere }) => {
  const page = await openConsole(browserHere, here.service, { dark: true, path: '/about-us' });
  const text = () => page.evaluate(() => getComputedStyle(document.body).color);
  for (const theme of ['system', 'dark']) {
    await page.evaluate((chosen) => localStorage.setItem('look', JSON.stringify({ theme: chosen })), theme);
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await text(), theme).toBe('rgb(232, 239, 236)');
    await page.emulateMedia({ media: 'print' });
    expect(await text(), theme).toBe('rgb(19, 32, 27)');
    await page.emulateMedia({ media: 'screen' });
  }
});

/** In CSS pixels, as on a phone with a notch, whichever way it is held. */
const insets = { top: 59, left: 59, right: 59, bottom: 34 };

/** What is partly under the notch, or so small that iOS enlarges the page for it. */
const troubles = (page: Page) =>
  page.evaluate(({ top, left, right, bottom }) => {
    const found: string[] = [];
    const isSeen = ({ width, height }: DOMRect) => width > 1 && height > 1;
    const check = (what: string, rects: Iterable<DOMRect>, isFixed: boolean) => {
      for (const rect of rects) {
        if (!isSeen(rect) || rect.bottom <= 0 || rect.top >= innerHeight || rect.right <= 0) continue;
        const isBeside = rect.left < left - 1 || rect.right > innerWidth - right + 1;
        const isAbove = rect.top < top - 1 && (isFixed || scrollY === 0);
        const isBelow = isFixed && rect.bottom > innerHeight - bottom + 1;
        if (isBeside || isAbove || isBelow) found.push(`${what} ${JSON.stringify(rect)}`);
      }
    };
    const isFixed = (element: Element) =>
      element.closest('dialog') !== null || element.matches('nav:not(header nav, footer nav) a');
    for (const control of document.querySelectorAll('a, button, input, select, textarea, summary, h1')) {
      check(`${control.tagName} ${control.textContent}`, control.getClientRects(), isFixed(control));
    }
    for (const field of document.querySelectorAll('input, select, textarea')) {
      if (field.matches('[type=checkbox], [type=radio], [type=range], [type=file], [type=hidden]')) continue;
      const size = Number.parseFloat(getComputedStyle(field).fontSize);
      if (size < 16) found.push(`${field.tagName} ${field.id} has text of ${size} px`);
    }
    return found;
  }, insets);

test("a phone's page keeps clear of the notch, and has no field for which iOS enlarges it", async ({
  openInApp,
}) => {
  const { service, account } = here;
  const { app, page } = await openInApp('ios', { url: `${service.consoleUrl}/` });
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Emulation.setSafeAreaInsetsOverride', { insets });
  const look = async (name: string) => {
    expect.soft(await troubles(page), name).toEqual([]);
  };
  await open(page, withoutCrash(signedOutScreens(page, 'en')), look);
  await arriveSignedIn(page, service, account.email);
  await open(page, [...appScreens(page, 'en', account), ...webviewScreens(page, 'en', app)], look);
  app.become({ state: 'disconnected' });
  await open(page, chooserScreens(page, 'en', app), look);
});
