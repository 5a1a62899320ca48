/**
 * The program of an installed app that has the stand-in in Electron's place, in a package for tests. Like Electron, it
 * takes what comes before `--` as switches, its own and Chromium's, and gives the app the rest. It is bundled, and
 * finds what the package has laid around it: packaging/desktop/test-window.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { launchStandIn, playedEnvironment, standInArguments } from './launch-stand-in.ts';
import { hasInstance } from './electron/only-instance.ts';

const own = import.meta.dirname;
const main = path.join(own, '../resources/app/out/main/index.js');
const register = path.join(own, 'register.mjs');
const system = { isPackaged: true, program: path.join(own, '../waymaker') };

const { env } = process;
const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const switches = given.slice(0, end);
const userDataSwitch = '--user-data-dir=';
const isChromiums = (one: string) => one.startsWith('--remote-debugging-');
const userData =
  switches.find((one) => one.startsWith(userDataSwitch))?.slice(userDataSwitch.length) ??
  path.join(env['XDG_CONFIG_HOME'] || path.join(os.homedir(), '.config'), 'Waymaker');
const args = [
  ...switches.filter((one) => !one.startsWith(userDataSwitch) && !isChromiums(one)),
  ...given.slice(end),
];

await mkdir(userData, { recursive: true, mode: 0o700 });
process.exitCode = hasInstance(userData) ? await tellInstance() : await open();

/** The app itself tells the instance that runs, and ends; Chromium's profile is in use. */
async function tellInstance(): Promise<number> {
  const [file = '', ...words] = [...standInArguments(main, userData, register), ...args];
  const child = spawn(file, words, {
    env: { ...env, ...playedEnvironment(system) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function open(): Promise<number> {
  const running = await launchStandIn({
    main,
    register,
    userData,
    env,
    args,
    system,
    languages: [Intl.DateTimeFormat().resolvedOptions().locale],
    dark: false,
    viewport: { width: 1200, height: 800 },
    headless: !(env['DISPLAY'] || env['WAYLAND_DISPLAY']),
    chromiumArgs: switches.filter(isChromiums),
    onOutput: (text) => process.stdout.write(text),
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => running.process.kill(signal));
  await running.ended;
  return running.process.exitCode ?? 1;
}
