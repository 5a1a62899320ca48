import type { Browser, Page } from 'playwright/test';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { names } from '../../lab/network/addresses.ts';
import type { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { createWebviewApp } from '../webview/webview-app.ts';
import { startApp } from '../webview/open-webview.ts';
import { expect, test } from '../webview/webview-fixtures.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

/**
 * Few pictures of what everybody sees, compared with those in tests/e2e/pictures. What differs is in out/test-results,
 * as a picture, too. New ones, once they were looked at: `playwright test … looks.spec.ts --update-snapshots`.
 */

const gateway = { host: names.gateway, port: 443 };
const connected: TunnelState = {
  state: 'connected',
  gateway,
  since: Date.now(),
  addresses: { ipv4: '198.51.100.7' },
  transport: 'dtls',
  routing: { mode: 'global', localNetwork: true },
};
const states = {
  disconnected: { state: { state: 'disconnected' }, title: 'connect.disconnected' },
  connecting: {
    state: { state: 'connecting', gateway, attempt: 1, phase: 'handshaking' },
    title: 'connect.connecting',
  },
  connected: { state: connected, title: 'connect.connected' },
  'nothing-passes': {
    state: { ...connected, problems: ['nothing-passes'] },
    title: 'problem.nothingPasses',
  },
  blocked: { state: { state: 'disconnected', blocked: true }, title: 'connect.blocked' },
  'captive-portal': {
    state: { state: 'disconnected', reason: 'captive-portal' },
    title: 'reason.captivePortal',
  },
  'update-needed': {
    state: { state: 'invalid', cause: 'helper-incompatible' },
    title: 'cause.helperIncompatibleTitle',
  },
} as const satisfies Record<string, { state: TunnelState; title: Parameters<ConnectRoute['status']>[0] }>;

/** The others are made of the same parts. */
const looked = casesOf<keyof typeof states>({
  usual: ['disconnected', 'connected', 'blocked'],
  all: Object.keys(states) as (keyof typeof states)[],
});

/** The font that the app brings along, in the place of those that this system may have. */
async function useOwnFont(page: Page): Promise<void> {
  await page.addStyleTag({ content: ":root { --wm-font: 'Inter Variable', sans-serif !important; }" });
  // What is masked is as wide whatever it says: other tests have moved the service's clock on, and trials end later.
  await page.addStyleTag({ content: '.mantine-Badge-label { width: 176px; }' });
  await page.evaluate(() => document.fonts.ready);
}

/** The Chromium, of Debian's package, that drew the pictures. */
const drawnBy = 156;
/**
 * The same Chromium draws our own font to the pixel, on every machine: without the smallest icon 7 pixels are others,
 * with another word 57. Another Chromium may draw each letter a little otherwise, 500 to 2700 pixels of a picture,
 * which hide such a thing: what it can be asked is only whether all is in its place.
 */
const exact = { maxDiffPixels: 5 };
const rough = { maxDiffPixelRatio: 0.01 };
const isExact = (browser: Browser) => browser.version().startsWith(`${drawnBy}.`);

/** The pictures are compared in a way that a missing icon, or another letter, is seen. */
async function expectSensitive(
  { card, serverButton }: ConnectRoute,
  name: string,
  options: object,
): Promise<void> {
  const chevron = serverButton.locator('svg').last();
  await chevron.evaluate((icon) => icon.style.setProperty('visibility', 'hidden'));
  await expect.soft(card).not.toHaveScreenshot(name, options);
  await chevron.evaluate((icon) => icon.style.removeProperty('visibility'));
  const heading = card.getByRole('heading');
  const [words, others] = [await heading.innerText(), 'Not conmected'];
  await heading.evaluate((node, text) => (node.textContent = text), others);
  await expect.soft(card).not.toHaveScreenshot(name, options);
  await heading.evaluate((node, text) => (node.textContent = text), words);
  await expect.soft(card).toHaveScreenshot(name, options);
}

/** The least contrast (WCAG 2.2, relative luminance) of the ring around the focused server with what it is seen on. */
async function ringContrast(page: Page, { serverButton }: ConnectRoute): Promise<number> {
  // As for whoever uses the keyboard.
  await page.keyboard.press('Tab');
  await serverButton.focus();
  return await serverButton.evaluate((button) => {
    const context = document.createElement('canvas').getContext('2d')!;
    const luminance = (color: string) => {
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
        const part = byte / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ring = luminance(getComputedStyle(button).outlineColor);
    const grounds = [button.parentElement!, button.closest('section')!].map((element) =>
      luminance(getComputedStyle(element).backgroundColor),
    );
    return Math.min(
      ...grounds.map((ground) => (Math.max(ring, ground) + 0.05) / (Math.min(ring, ground) + 0.05)),
    );
  });
}

const moves = (page: Page) =>
  page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);

test('the states of the connect card, in light, dark, a contrast theme and on a phone, look as they did', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const app = createWebviewApp('android');
  const context = await browserHere.newContext({ viewport: { width: 960, height: 720 } });
  const page = await startApp(context, { platform: 'android', app, url: `${serviceHere.consoleUrl}/` });
  const login = new LoginRoute(page);
  await expect(login.heading).toBeVisible();
  await useOwnFont(page);
  const tolerance = isExact(browserHere) ? exact : rough;
  await expect.soft(page).toHaveScreenshot('login.png', tolerance);
  if (isExhaustive) {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.soft(page).toHaveScreenshot('login-phone-dark.png', tolerance);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 960, height: 720 });
  }

  await arriveSignedIn(page, serviceHere, email);
  const connect = await openConnectTab(page);
  await connect.welcomeRead.click();
  await useOwnFont(page);
  const become = async (name: keyof typeof states) => {
    app.become(states[name].state);
    await expect(connect.status(states[name].title)).toBeVisible();
  };
  // What moves by itself, and is not to be seen by chance.
  const maskColor = '#8a9a93';
  const mask = [page.getByText(/^Trial ends in/), page.locator('dd')];
  const options = { mask, maskColor, ...tolerance };
  const look = (name: string) => expect.soft(connect.card).toHaveScreenshot(`connect-${name}.png`, options);
  const lookAtPage = (name: string) => expect.soft(page).toHaveScreenshot(`connect-${name}.png`, options);
  await become('disconnected');
  await lookAtPage('page');
  for (const name of looked) {
    await become(name);
    await look(name);
    if (name === 'disconnected' && isExact(browserHere))
      await expectSensitive(connect, `connect-${name}.png`, options);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await become('connected');
  if (isExhaustive) await look('connected-dark');
  await become('blocked');
  await look('blocked-dark');
  expect.soft(await ringContrast(page, connect), 'WCAG 2.2, 1.4.11').toBeGreaterThan(3);
  await connect.serverButton.blur();
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  await look('blocked-forced-colors');
  await page.emulateMedia({ forcedColors: 'none' });
  await page.setViewportSize({ width: 390, height: 844 });
  await lookAtPage('phone');
});

/** Counts, from now on, what begins to move, however briefly. */
async function countMoves(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    let moved = 0;
    Object.assign(globalThis, { movesCounted: () => moved });
    for (const name of ['animationstart', 'transitionrun'])
      document.addEventListener(name, () => (moved += 1), { capture: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { movesCounted(): number }).movesCounted());
}

if (isExhaustive)
  test('nothing moves for who wants less motion: not while connecting, in the settings, nor among the servers', async ({
    signInInApp,
  }) => {
    const { app, page } = await signInInApp('ios');
    const connect = await openConnectTab(page);
    const walk = async () => {
      app.become(states.connecting.state);
      await expect(connect.status('connect.connecting')).toBeVisible();
      await connect.inSettings(async (settings) => {
        await settings.global.click({ force: true });
        await settings.automatic.click({ force: true });
        await expect(settings.automatic).toBeChecked();
      });
      app.become({ state: 'disconnected' });
      await expect(connect.status('connect.disconnected')).toBeVisible();
      await connect.openServers();
      await connect.measure.click();
      await page.keyboard.press('Escape');
      await expect(connect.search).toBeHidden();
      app.become(connected);
      await expect(connect.status('connect.connected')).toBeVisible();
      await connect.openDetails();
    };
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const moved = await countMoves(page);
    await walk();
    const forOthers = await moved();
    expect(forOthers, 'it does for others').toBeGreaterThan(3);
    app.become({ state: 'disconnected' });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expect.poll(() => moves(page)).toBe(0);
    const before = await moved();
    await walk();
    expect(await moved()).toBe(before);
    expect(await moves(page)).toBe(0);
  });
