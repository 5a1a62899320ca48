import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lchown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { chromiumExecutable } from '../../tests/stand-in/chromium.ts';
import { launchStandIn } from '../../tests/stand-in/launch-stand-in.ts';
import { chromiumIn } from '../../tests/e2e/support/machine/chromium-in.ts';
import { electronBinary } from '../../tests/e2e/support/host/electron-binary.ts';
import { builtMain } from '../../tests/e2e/support/host/paths.ts';
import { endProcess, eventually } from '../../tests/lab/runs/process.ts';
import { freePort } from '../../tests/unit/main/support/free-port.ts';
import { createAppLogLines } from './app-log-lines.ts';
import { downloadedElectron } from './electron-download.ts';
import type { Place } from './place.ts';
import { isFree } from './ports.ts';
import { StartProblem } from './start-problem.ts';

const root = path.resolve(import.meta.dirname, '../..');
/**
 * The port at which Chromium's own inspector displays a page and accepts mouse and keyboard for it, unless it is in
 * use.
 */
const usualInspectorPort = 9222;
export const userData = path.join(root, '.waymaker/desktop');

export interface RunningApp {
  /** Resolves when the user has closed the app; never, if no app can run. */
  readonly ended: Promise<unknown>;
}

const hasDisplay =
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);

/** Finds or downloads the Electron binary; undefined if there is none, or no display to use it with. */
export async function findElectron(stop: AbortSignal): Promise<string | undefined> {
  if (!hasDisplay) return undefined;
  return await downloadedElectron({
    installer: path.join(root, 'node_modules/electron/install.js'),
    failureFile: path.join(root, 'node_modules/.waymaker-electron-failed'),
    binary: electronBinary,
    stop,
  });
}

/**
 * Runs the built desktop app in Electron or, without `electron`, in the tests' stand-in for it. Prints what it
 * complains about until `stop`.
 */
export async function runDesktopApp(
  electron: string | undefined,
  place: Place,
  running: AsyncDisposableStack,
  stop: AbortSignal,
): Promise<RunningApp> {
  // A terminal's Ctrl-C also ends the programs that the app runs, and what it says of that is no failure.
  const write = (line: string) => {
    if (!stop.aborted) console.error(line);
  };
  await mkdir(userData, { recursive: true });
  await takeFromOwner(userData);
  const env = { ...process.env, ...place.env, WAYMAKER_API_URL: place.apiUrl };
  if (electron !== undefined) {
    console.log('Desktop app     in Electron');
    return runElectron(electron, place, env, running, write);
  }
  if (!existsSync(chromiumExecutable)) {
    console.log("Desktop app     not started: neither Electron's binary nor Chromium is here.");
    return { ended: new Promise(() => {}) };
  }
  return runStandIn(place, env, running, write);
}

/**
 * As root in a user's clone, makes root the owner of the app's own folder: the app trusts no other owner, and the
 * previous start has given the folder back to the user at its end.
 */
export async function takeFromOwner(profile: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await lchown(path.join(profile, 'control'), 0, 0).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
}

function runElectron(
  binary: string,
  { machine }: Place,
  env: NodeJS.ProcessEnv,
  running: AsyncDisposableStack,
  write: (line: string) => void,
): RunningApp {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const argv = [binary, ...sandbox, builtMain, `--user-data-dir=${userData}`];
  const [file = '', ...args] = machine?.command(argv).flat() ?? argv;
  const child = spawn(file, args, { env, stdio: ['inherit', 'pipe', 'pipe'] });
  for (const output of [child.stdout, child.stderr]) {
    const takeLines = createAppLogLines(write);
    output.on('data', (chunk: Buffer) => takeLines(chunk.toString()));
  }
  running.defer(() => endProcess(child));
  return { ended: once(child, 'exit') };
}

async function runStandIn(
  place: Place,
  env: NodeJS.ProcessEnv,
  running: AsyncDisposableStack,
  write: (line: string) => void,
): Promise<RunningApp> {
  const { machine } = place;
  const inspectorPort = (await isFree(usualInspectorPort)) ? usualInspectorPort : await freePort();
  const inspectorUrl = `http://127.0.0.1:${inspectorPort}`;
  const app = await launchStandIn({
    main: builtMain,
    userData,
    env,
    languages: [Intl.DateTimeFormat().resolvedOptions().locale],
    dark: false,
    viewport: { width: 1200, height: 800 },
    headless: !hasDisplay,
    ...(!hasDisplay && {
      chromiumArgs: [`--remote-debugging-port=${inspectorPort}`, `--remote-allow-origins=${inspectorUrl}`],
    }),
    ...(machine && {
      command: (argv) => machine.command(argv).flat(),
      chromiumExecutable: await chromiumIn(machine, userData, chromiumExecutable),
    }),
    onOutput: createAppLogLines(write),
  });
  running.defer(() => endProcess(app.process));
  if (hasDisplay)
    console.log(
      "Desktop app     in the tests' stand-in for Electron, since Electron's binary could not be downloaded",
    );
  else {
    await place.publish(inspectorPort);
    let hasEnded = false;
    void app.ended.then(() => {
      hasEnded = true;
    });
    const page = await eventually('the app shows its window', () => {
      if (hasEnded)
        throw new StartProblem('The desktop app has ended while it was starting; it says why above.');
      return findAppPage(inspectorUrl);
    });
    console.log("Desktop app     in the tests' stand-in for Electron, since there is no display;");
    console.log(`                use its window in a browser: ${page}`);
  }
  return { ended: app.ended };
}

/** The address at which Chromium displays the app's page, or undefined while there is none. */
async function findAppPage(inspectorUrl: string): Promise<string | undefined> {
  const reply = await fetch(`${inspectorUrl}/json/list`).catch(() => undefined);
  if (!reply) return undefined;
  const pages = z.array(z.object({ id: z.string(), url: z.string() })).parse(await reply.json());
  const page = pages.find(({ url }) => url.startsWith('https://'));
  const socket = `${new URL(inspectorUrl).host}/devtools/page/${page?.id ?? ''}`;
  return page && `${inspectorUrl}/devtools/inspector.html?ws=${socket}`;
}
