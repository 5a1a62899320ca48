import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright/test';
import { expect, test } from './fixtures.ts';
import { buildWithReports } from './support/build-with-reports.ts';
import { answerProbes } from './support/probe-pages.ts';
import { startReportIngest } from './support/report-ingest.ts';
import { serveConsole } from './support/serve-console.ts';
import { signIn } from './support/sign-in.ts';

const languages = { locale: 'en-US' };

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

test('spec §7: an error-reporting service receives errors, traces and replays, without secrets', async ({
  browserHere,
  email,
}) => {
  await using ingest = await startReportIngest();
  await using build = await buildWithReports(ingest.dsn);
  await using served = await serveConsole(build.renderer, {
    WAYMAKER_SENTRY_DSN: ingest.dsn,
  });
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

  const [report] = ingest.items('event').map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
  expect(report).toMatchObject({ environment: 'production' });
  const [recording] = ingest.items('replay_recording').map(({ payload }) => payload.split('\n')[1] ?? '');
  expect(JSON.parse(recording ?? ''), 'a recording that can be read').toBeInstanceOf(Array);
  expect(recording, 'what is on the screen is masked').not.toContain('Sign in');
  for (const [name, secret] of Object.entries(secrets)) {
    expect(ingest.received().includes(secret), `${name} in a report`).toBe(false);
  }
});

test('spec §7: the desktop app reports from its page and from its main process, without secrets', async ({
  launchHere,
  serviceHere,
  directory,
  email,
}) => {
  await using ingest = await startReportIngest();
  await using build = await buildWithReports(ingest.dsn);
  const app = await launchHere({ main: build.main });
  const { page } = app;
  // Reports go to this machine here, which Chromium would ask the user about.
  await page.context().grantPermissions(['local-network-access'], { origin: app.origin });
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

for (const [locale, text] of [
  ['en-US', 'The app cannot start:'],
  ['zh-CN', '应用无法启动：'],
  ['zh-TW', '應用程式無法啟動：'],
] as const) {
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
    await expect.poll(said).toContain(`Waymaker: ${text}\nEISDIR`);
  });
}

test('without an address to report to, nothing is loaded for it', async ({ browserHere, serviceHere }) => {
  await using context = await browserHere.newContext(languages);
  await answerProbes(context);
  const page = await context.newPage();
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto(`${serviceHere.consoleUrl}/login`, { waitUntil: 'networkidle' });
  await throwInPage(page, 'told to nobody');
  expect(loaded.filter((url) => url.includes('sentry'))).toEqual([]);
  expect(await page.evaluate(() => '__SENTRY__' in window)).toBe(false);
});
