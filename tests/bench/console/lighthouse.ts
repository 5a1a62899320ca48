import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import lighthouse from 'lighthouse';
import { chromium, type Browser, type BrowserContext } from 'playwright';
import { chromiumExecutable, launchChromium, quietArguments } from '../../stand-in/chromium.ts';
import { builtRenderer } from '../../e2e/support/host/paths.ts';
import { countTransfer, serveConsole, type ServedConsole } from '../../e2e/support/service/serve-console.ts';
import { withoutEvents } from '../../e2e/support/service/without-events.ts';
import { row, type Row } from '../row.ts';

/** What each score is held against; 100 is the best there is. */
const wantedScores = { performance: 99, accessibility: 100, 'best-practices': 100 } as const;
const categories = ['performance', 'accessibility', 'best-practices'] as const;
const runs = 5;

/** JavaScript and CSS that one visit may load, gzipped, in kB. */
const budget = 220;
/** What is not there takes the same code to say so. */
const nothing = '00000000-0000-4000-8000-000000000000';
/** Every route of specification §2 that the web console has; / leads to /dashboard. */
const signedOutRoutes = [
  '/login',
  '/auth-verify?email=a@example.com&authId=1',
  `/device-login?deviceId=${nothing}&token=none`,
  '/quick-start',
  '/about-us',
  '/nowhere',
];
const signedInRoutes = [
  '/dashboard',
  '/my-service',
  '/devices',
  '/orders',
  '/members',
  '/members/add',
  '/apps',
  '/apps/create',
  `/apps/${nothing}`,
  '/purchase',
  '/x',
  `/pay/order?orderId=${nothing}`,
  `/pay/confirming?order_id=${nothing}`,
  '/self-delete',
  '/logout',
];
/**
 * Where some of them lead at once: to the store, and from an order that is not there. An empty answer (204) keeps the
 * page.
 */
const leading = /\/store\/|\/api\/orders\//;

const screens = ['login', 'dashboard'] as const;
const scoreRow = (screen: string, category: string) => `lighthouse-${screen}-${category}`;
const bundleRow = (route: string) =>
  `bundle-${(route.split('?')[0] ?? '').slice(1).replace(nothing, 'id').replaceAll('/', '-')}`;

export const consoleRows: readonly string[] = [
  ...screens.flatMap((screen) => categories.map((category) => scoreRow(screen, category))),
  ...[...signedOutRoutes, ...signedInRoutes].map(bundleRow),
];

/** The web console as the service serves it: Lighthouse's scores, and what a first visit of each route loads. */
export async function* measureConsole(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  await using served = await serveConsole(builtRenderer);
  const isAnyWanted = (start: string) => consoleRows.some((name) => name.startsWith(start) && isWanted(name));
  if (isAnyWanted('lighthouse-')) yield* measureScores(served);
  if (isAnyWanted('bundle-')) yield* measureBundles(served, isWanted);
}

/** Lighthouse with its default settings: a phone, simulated slow 4G, four times slower processor. */
async function* measureScores(served: ServedConsole): AsyncGenerator<Row> {
  const profile = await mkdtemp(path.join(tmpdir(), 'waymaker-lighthouse-'));
  const context = await launchChromium({
    profile,
    languages: ['en-US'],
    dark: false,
    viewport: { width: 1200, height: 800 },
    args: ['--remote-debugging-port=0'],
  });
  try {
    const port = await debuggingPort(profile);
    yield* scoreRows('login', `${served.url}/login`, port, context);
    const page = await context.newPage();
    await served.signIn(page);
    await page.close();
    yield* scoreRows('dashboard', `${served.url}/dashboard`, port, context);
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Chromium writes the port it chose into its profile. */
async function debuggingPort(profile: string): Promise<number> {
  const [port = ''] = (await readFile(path.join(profile, 'DevToolsActivePort'), 'utf8')).split('\n');
  return Number(port);
}

async function* scoreRows(
  screen: (typeof screens)[number],
  url: string,
  port: number,
  context: BrowserContext,
): AsyncGenerator<Row> {
  const results: Record<string, number>[] = [];
  for (let run = 0; run < runs; run += 1) {
    await clearCache(context);
    results.push(await score(url, port));
  }
  for (const category of categories) {
    yield row(
      scoreRow(screen, category),
      { ours: results.map((result) => result[category] ?? Number.NaN), peer: [wantedScores[category]] },
      { unit: 'score', better: 'higher' },
    );
  }
}

/** What Lighthouse would do by itself, were it not to leave the session alone. */
async function clearCache(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.clearBrowserCache');
  await page.close();
}

/** The scores of one run, 0 to 100, in the session that the browser has. */
async function score(url: string, port: number, tries = 3): Promise<Record<string, number>> {
  const result = await lighthouse(url, {
    port,
    logLevel: 'error',
    onlyCategories: [...categories],
    disableStorageReset: true,
  });
  if (!result) throw new Error('Lighthouse has no result');
  const { lhr } = result;
  // On a busy machine Chromium's trace sometimes lacks the beginning of the navigation: nothing was measured.
  if (lhr.runtimeError?.code === 'NO_NAVSTART' && tries > 1) return score(url, port, tries - 1);
  if (lhr.runtimeError) throw new Error(`Lighthouse: ${lhr.runtimeError.message}`);
  if (new URL(lhr.finalDisplayedUrl).href !== url) throw new Error(`Lighthouse saw ${lhr.finalDisplayedUrl}`);
  return Object.fromEntries(
    Object.entries(lhr.categories).map(([name, category]) => {
      if (category.score === null) throw new Error(`Lighthouse has no score of ${name}`);
      return [name, category.score * 100];
    }),
  );
}

async function* measureBundles(
  served: ServedConsole,
  isWanted: (row: string) => boolean,
): AsyncGenerator<Row> {
  const browser = await chromium.launch({ executablePath: chromiumExecutable, args: quietArguments() });
  try {
    const context = await browser.newContext({ locale: 'en-US' });
    await served.signIn(await context.newPage());
    const signedIn = await context.storageState();
    for (const route of signedOutRoutes)
      if (isWanted(bundleRow(route))) yield await measureBundle(browser, served.url, route);
    for (const route of signedInRoutes)
      if (isWanted(bundleRow(route))) yield await measureBundle(browser, served.url, route, signedIn);
  } finally {
    await browser.close();
  }
}

type SignedIn = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>;

/** What a browser that has never been here loads for this route. */
async function measureBundle(
  browser: Browser,
  url: string,
  route: string,
  signedIn?: SignedIn,
): Promise<Row> {
  const context = await browser.newContext({
    locale: 'en-US',
    ...(signedIn === undefined ? {} : { storageState: signedIn }),
  });
  await withoutEvents(context);
  const page = await context.newPage();
  await page.route(leading, (leads) => leads.fulfill({ status: 204 }));
  const transfer = countTransfer(page);
  await page.goto(url + route, { waitUntil: 'networkidle' });
  await page.locator('h1').waitFor();
  const { pathname } = new URL(url + route);
  if (new URL(page.url()).pathname !== pathname) throw new Error(`${route} led to ${page.url()}`);
  const size = await transfer();
  await context.close();
  return row(bundleRow(route), { ours: [size], peer: [budget] }, { unit: 'kB', better: 'lower' });
}
