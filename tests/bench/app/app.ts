import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright';
import { ConnectRoute } from '../../e2e/routes/connect/connect-route.ts';
import { chooseServer } from '../../e2e/support/tunnel/connect.ts';
import { appEnvironment } from '../../e2e/support/host/desktop-app.ts';
import { startKeyring } from '../../e2e/support/machine/keyring.ts';
import { builtMain, root } from '../../e2e/support/host/paths.ts';
import { startService, type TestService } from '../../e2e/support/service/service.ts';
import { signIn } from '../../e2e/support/tunnel/sign-in.ts';
import { launchInStandIn } from '../../e2e/support/host/stand-in-host.ts';
import { launchBrowser } from '../../e2e/support/service/web-console.ts';
import { eventually } from '../../lab/runs/process.ts';
import { startTrayWatcher } from '../../lab/desktop/tray-watcher.ts';
import { launchStandIn, type RunningStandIn } from '../../stand-in/launch-stand-in.ts';
import { startTestHelper } from '../../unit/main/support/helper.ts';
import { processorTime } from '../measure/processor-time.ts';
import { byTurns, row, type Row } from '../row.ts';

export const appRows = ['app-start', 'window-hidden-cpu', 'app-hidden-cpu'] as const;

const rounds = 7;
const hiddenRounds = 5;
const hiddenSeconds = 20;
/** What opening its window has set in motion has come to rest. */
const restSeconds = 5;

/** An app of one window with a heading, and nothing else: what the stand-in takes by itself. */
const bareMain = path.join(root, 'tests/stand-in/example-app/main.ts');

interface Contender {
  main: string;
  userData: string;
  env: NodeJS.ProcessEnv;
  /** Resolves when the window's user can do what they have opened it for. */
  usable(page: Page): Promise<void>;
}

/**
 * The desktop app in the stand-in for Electron, with a stored session and a helper, beside a bare app in the same: how
 * long it takes from main's first line to the button that connects, and what page and main do with the window hidden.
 */
export async function* measureApp(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-bench-'));
  const browser = await launchBrowser();
  await using service = await startService(path.join(directory, 'service'));
  await using keyring = await startKeyring(path.join(directory, 'keyring'));
  await using _ = await startTrayWatcher(keyring);
  await using helper = await startTestHelper();
  try {
    const userData = path.join(directory, 'app');
    const env = {
      ...keyring.env,
      WAYMAKER_API_URL: service.apiUrl,
      WAYMAKER_HELPER_SOCKET: helper.socketPath,
    };
    await signInOnce({ browser, service, userData, env });
    const ours: Contender = {
      main: builtMain,
      userData,
      env: appEnvironment({ userData, env }),
      usable: (page) => new ConnectRoute(page).connect.click({ trial: true }),
    };
    const peer: Contender = {
      main: bareMain,
      userData: path.join(directory, 'bare'),
      env: appEnvironment({ userData: path.join(directory, 'bare'), env: {} }),
      usable: (page) => page.getByRole('heading').click({ trial: true }),
    };
    const contenders = { ours, peer };
    if (isWanted('app-start')) yield await measureStart(browser, contenders);
    if (isWanted('window-hidden-cpu') || isWanted('app-hidden-cpu'))
      yield* await measureHidden(browser, contenders);
  } finally {
    await browser.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  }
}

async function signInOnce(options: {
  browser: Browser;
  service: TestService;
  userData: string;
  env: Record<string, string>;
}): Promise<void> {
  const app = await launchInStandIn(options);
  await signIn(app.page, options.service, 'bench@example.com');
  await chooseServer(app.page);
  await app.quit();
}

type Contenders = Record<'ours' | 'peer', Contender>;

async function measureStart(browser: Browser, { ours, peer }: Contenders): Promise<Row> {
  const start = async (contender: Contender) => {
    const { running, startedAt, page } = await launch(browser, contender);
    await contender.usable(page);
    const took = Date.now() - startedAt();
    await end(running);
    return took;
  };
  // The first of all warms the files and the browser up.
  await start(ours);
  await start(peer);
  const samples = await byTurns(rounds, { ours: () => start(ours), peer: () => start(peer) });
  return row('app-start', samples, { unit: 'ms', better: 'lower' });
}

/**
 * Processor time in milliseconds a minute: of the hidden window's page, which has nothing to do, and of main, which
 * hears of changes over the service's stream of events.
 */
async function measureHidden(browser: Browser, { ours, peer }: Contenders): Promise<Row[]> {
  const hidden = async (contender: Contender) => {
    const { running, page } = await launch(browser, contender);
    await contender.usable(page);
    // The bare app has nothing to do, hidden or not, and would end with its window.
    if (contender === ours) await running.app.userClosesWindow(1).catch(() => undefined);
    await delay(restSeconds * 1000);
    if (contender === ours && (await running.app.windowShown(1)).isVisible) {
      throw new Error('the window is not hidden');
    }
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const used = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      const task = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
      return { page: task * 1000, main: await processorTime(running.process.pid ?? 0) };
    };
    const before = await used();
    await delay(hiddenSeconds * 1000);
    const after = await used();
    await end(running);
    const perMinute = 60 / hiddenSeconds;
    return { page: (after.page - before.page) * perMinute, main: (after.main - before.main) * perMinute };
  };
  const samples = await byTurns(hiddenRounds, { ours: () => hidden(ours), peer: () => hidden(peer) });
  const rowOf = (name: (typeof appRows)[number], part: 'page' | 'main') =>
    row(
      name,
      { ours: samples.ours.map((spent) => spent[part]), peer: samples.peer.map((spent) => spent[part]) },
      { unit: 'ms/min', better: 'lower' },
    );
  return [rowOf('window-hidden-cpu', 'page'), rowOf('app-hidden-cpu', 'main')];
}

async function launch(browser: Browser, { main, userData, env }: Contender) {
  let output = '';
  const running = await launchStandIn({
    main,
    userData,
    browser,
    env: { ...env, NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'print-start.ts')}` },
    languages: ['en-US'],
    dark: false,
    viewport: { width: 960, height: 720 },
    onOutput: (text) => (output += text),
  });
  const page = await eventually('the window shows its page', () =>
    running.pages().find((candidate) => candidate.url().startsWith('https:')),
  );
  return { running, page, startedAt: () => Number(/main starts at (\d+)/.exec(output)?.[1]) };
}

async function end(running: RunningStandIn): Promise<void> {
  running.process.kill('SIGKILL');
  await running.ended;
}
