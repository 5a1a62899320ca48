import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { _electron as electron } from 'playwright';
import { inNetworkNamespace } from '../../../lab/network/network-namespace.ts';
import { appEnvironment, type DesktopApp, type LaunchOptions } from './desktop-app.ts';
import { builtMain } from './paths.ts';

/** The same app in real Electron, driven by Playwright's Electron support. */
export async function launchElectron(binary: string, options: LaunchOptions): Promise<DesktopApp> {
  await mkdir(options.userData, { recursive: true });
  const env = appEnvironment(options);
  const { lab, userData, languages = ['en-US'] } = options;
  const args = [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    options.main ?? builtMain,
    `--user-data-dir=${userData}`,
    `--lang=${languages[0]}`,
    ...(options.args ?? []),
  ];
  const executablePath = lab ? await script(userData, lab.user.command([binary]).flat()) : binary;
  const launch = () =>
    electron.launch({ executablePath, args, env, colorScheme: options.dark ? 'dark' : 'light' });
  // Playwright speaks to Electron over TCP on the loopback of the network that both are in.
  const running = await (lab ? inNetworkNamespace(lab.user.namespace, launch) : launch());
  let output = '';
  for (const stream of [running.process().stdout, running.process().stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  await running.evaluate(({ shell }) => {
    const links: string[] = [];
    Object.assign(globalThis, { openedLinks: links });
    shell.openExternal = async (url) => void links.push(url);
  });
  const page = await running.firstWindow();
  if (options.firstPath !== undefined) await page.goto(`waymaker://app${options.firstPath}`);
  const ended = once(running.process(), 'exit');
  return {
    host: 'electron',
    page,
    origin: 'waymaker://app',
    windows: () => running.windows(),
    windowTitles: () =>
      running.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()
          .sort((one, other) => one.id - other.id)
          .map((window) => window.getTitle()),
      ),
    output: () => output,
    externalLinks: () =>
      running.evaluate(() => (globalThis as unknown as { openedLinks: string[] }).openedLinks),
    setDark: (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' }),
    async startSecondInstance(link) {
      const second = spawn(executablePath, [...args, ...(link === undefined ? [] : ['--', link])], {
        env,
        stdio: 'ignore',
      });
      await once(second, 'exit');
    },
    async quit() {
      await running.close();
    },
    ended,
    async kill() {
      running.process().kill('SIGKILL');
      await ended;
    },
  };
}

async function script(folder: string, argv: string[]): Promise<string> {
  const file = path.join(folder, 'electron-on-user-machine');
  await writeFile(file, `#!/bin/sh\nexec ${argv.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  await chmod(file, 0o755);
  return file;
}
