import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright/test';
import { expect, test as base } from '../fixtures.ts';
import { buildWith, type Build } from '../support/host/build-with.ts';
import { answerProbes } from '../support/tunnel/probe-pages.ts';
import { startReportIngest, type ReportIngest } from '../support/service/report-ingest.ts';
import { serveConsole, type ServedConsole } from '../support/service/serve-console.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

const languages = { locale: 'en-US' };

interface Reporting {
  ingest: ReportIngest;
  /** A build that reports to it. */
  build: Build;
  /** The web console of that build. */
  served: ServedConsole;
}

/** Made once, and not as a worker's fixture: for one more of those, Playwright starts one more worker. */
let made: { reporting: Promise<Reporting>; end: () => Promise<void> } | undefined;

/** What reports of errors need; nothing has been reported when a test begins. */
const test = base.extend<{ reporting: Reporting }>({
  reporting: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from its first parameter's pattern
    async ({}, provide) => {
      made ??= makeReporting();
      const reporting = await made.reporting;
      reporting.ingest.forget();
      await provide(reporting);
    },
    { timeout: waitLimit(90_000) },
  ],
});

function makeReporting() {
  const stack = new AsyncDisposableStack();
  const make = async (): Promise<Reporting> => {
    const ingest = stack.use(await startReportIngest());
    const build = stack.use(await buildWith({ VITE_SENTRY_DSN: ingest.dsn }));
    const served = stack.use(await serveConsole(build.renderer, { WAYMAKER_SENTRY_DSN: ingest.dsn }));
    return { ingest, build, served };
  };
  return { reporting: make(), end: () => stack.disposeAsync() };
}

test.afterAll(() => made?.end());

/** The code that the page sends to sign in. */
async function codeSent(page: Page): Promise<string> {
  const request = await page.waitForRequest('**/api/auth');
  return (request.postDataJSON() as { authCode: string }).authCode;
}

/** An error that nobody catches, in a script of the page's own. */
const throwInPage = (page: Page, message: string) =>
  page.evaluate((text) => {
    setTimeout(() => {
      throw new Error(text);
    });
  }, message);

if (isExhaustive)
  test('spec §7: an error-reporting service receives errors, traces and replays, without secrets', async ({
    reporting: { ingest, served },
    browserHere,
    email,
  }) => {
    await using context = await browserHere.newContext(languages);
    await answerProbes(context);
    const page = await context.newPage();

    await page.goto(`${served.url}/login`);
    await expect.poll(() => ingest.items('transaction').length, 'a trace').toBeGreaterThan(0);
    const [code] = await Promise.all([codeSent(page), served.signIn(page, email)]);
    const token = await page.evaluate(() => localStorage.getItem('token'));
    const deviceId = await page.evaluate(() => localStorage.getItem('deviceId'));
    if (token === null || deviceId === null) throw new Error('not signed in');

    const secrets = { email, encoded: encodeURIComponent(email), code, token, deviceId };
    await page.evaluate((text) => console.warn(text), `crumbs of ${Object.values(secrets).join(' ')}`);
    await throwInPage(page, `thrown with ${Object.values(secrets).join(' and ')}`);
    const event = expect.poll(() => ingest.items('event').map(({ payload }) => payload));
    await event.toEqual([expect.stringContaining('thrown with [scrubbed] and [scrubbed]')]);
    await expect.poll(() => ingest.items('replay_event').length, 'a replay').toBeGreaterThan(0);
    await expect.poll(() => ingest.items('replay_recording').length, 'its recording').toBeGreaterThan(0);

    const [report] = ingest
      .items('event')
      .map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
    expect(report).toMatchObject({ environment: 'production' });
    const [recording] = ingest.items('replay_recording').map(({ payload }) => payload.split('\n')[1] ?? '');
    expect(JSON.parse(recording ?? ''), 'a recording that can be read').toBeInstanceOf(Array);
    expect(recording, 'what is on the screen is masked').not.toContain('Sign in');
    for (const [name, secret] of Object.entries(secrets)) {
      expect(ingest.received().includes(secret), `${name} in a report`).toBe(false);
    }
  });

/** Opens a page in a profile of its own in which chance is `chance`: what is sampled is what has a greater rate. */
async function openWithChance(browser: Browser, url: string, chance: number): Promise<Page> {
  const context = await browser.newContext(languages);
  await answerProbes(context);
  await context.addInitScript((value) => {
    Math.random = () => value;
  }, chance);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

if (isExhaustive)
  test('spec §9: tracing sample rate 1, replay session sample 0.1, replay on error 1', async ({
    reporting: { ingest, served },
    browserHere,
  }) => {
    const traced = (name: string) =>
      ingest
        .items('transaction')
        .some(({ payload }) => (JSON.parse(payload) as { transaction: string }).transaction === name);
    /** Which pages have sent replays, each with how it came to that. */
    const replays = () => [
      ...new Set(
        ingest.items('replay_event').map(({ payload }) => {
          const { urls, replay_type: type } = JSON.parse(payload) as { urls: string[]; replay_type: string };
          return `${type} of ${urls.map((url) => new URL(url).pathname).join(' ')}`;
        }),
      ),
    ];
    const notSampled = await openWithChance(browserHere, `${served.url}/login`, 0.1);
    await expect.poll(() => traced('/login'), 'a trace of /login').toBe(true);
    // The later one has sent its replay: the earlier one would have, too.
    await openWithChance(browserHere, `${served.url}/about-us`, 0.0999);
    await expect.poll(replays).toEqual(['session of /about-us']);

    // The greatest number that chance gives: no rate below 1 is greater.
    const greatest = 1 - Number.EPSILON / 2;
    await notSampled.evaluate((value) => void (Math.random = () => value), greatest);
    await throwInPage(notSampled, 'thrown where nothing was sampled');
    await expect.poll(() => replays().toSorted()).toEqual(['buffer of /login', 'session of /about-us']);
    await openWithChance(browserHere, `${served.url}/nowhere`, greatest);
    await expect.poll(() => traced('/nowhere'), 'a trace of /nowhere').toBe(true);
  });

if (isExhaustive)
  test('spec §7: the desktop app reports from its page and from its main process, without secrets', async ({
    reporting: { ingest, build },
    launchHere,
    serviceHere,
    directory,
    email,
  }) => {
    const app = await launchHere({ main: build.main });
    const { page } = app;
    // Reports go to this machine here, which Chromium would ask the user about.
    await page.context().grantPermissions(['local-network-access'], { origin: app.origin });
    await page.waitForLoadState();
    await page.reload();
    const transactions = () =>
      ingest
        .items('transaction')
        .map(({ payload }) => (JSON.parse(payload) as { transaction: string }).transaction);
    const both = expect.arrayContaining(['start', expect.stringMatching(/^\//)]);
    await expect.poll(transactions, 'traces of both').toEqual(both);
    await signIn(page, serviceHere, email);
    const code = await serviceHere.mailbox.code(email);
    await throwInPage(page, `thrown in the page with ${email}`);
    const messages = () => ingest.items('event').map(({ payload }) => payload);
    await expect.poll(messages).toEqual([expect.stringContaining('thrown in the page with [scrubbed]')]);
    await expect.poll(() => ingest.items('replay_recording').length, 'a replay').toBeGreaterThan(0);
    await app.quit();

    // A name with a secret in it, that cannot be read: the app cannot start, and says so.
    const userData = path.join(directory, email);
    await mkdir(path.join(userData, 'settings.json'), { recursive: true });
    await launchHere({ main: build.main, userData }).catch(() => undefined);
    await expect.poll(messages).toEqual([expect.anything(), expect.stringContaining('EISDIR')]);
    for (const secret of [email, encodeURIComponent(email), code]) {
      expect(ingest.received().includes(secret), secret).toBe(false);
    }
  });

const cannotStart = {
  'en-US':
    'The app cannot start. Restart the computer, then try again. If that does not help, send this to support:',
  'zh-CN': '应用无法启动。请重启电脑后再试。如果仍然不行，请将以下信息发给客服：',
  'zh-TW': '應用程式無法啟動。請重新啟動電腦後再試。如果仍然不行，請將以下訊息傳給客服：',
} as const;
const locales = casesOf<keyof typeof cannotStart>({ usual: ['zh-TW'], all: ['en-US', 'zh-CN', 'zh-TW'] });
for (const locale of locales) {
  test(`an app that cannot start says why, in the language of the system, and ends: ${locale}`, async ({
    launchHere,
    directory,
  }) => {
    const userData = path.join(directory, 'unreadable');
    await mkdir(path.join(userData, 'settings.json'), { recursive: true });
    const running = await launchHere({ userData, languages: [locale] }).catch(
      (error: unknown) => error as Error,
    );
    const said = () => (running instanceof Error ? running.message : running.output());
    await expect.poll(said).toContain(`Waymaker: ${cannotStart[locale]}\nEISDIR`);
  });
}
