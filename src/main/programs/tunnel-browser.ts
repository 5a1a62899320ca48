import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import type { BrowserWindowOutcome } from '#shared/host/contract.ts';
import { ownEnvironment } from './own-environment.ts';
import {
  chromiumPreferences,
  chromiumThroughProxy,
  chromiumWindow,
  firefoxThroughProxy,
  firefoxWindow,
} from './window-arguments.ts';

/** Opens the user's own browser with a temporary profile and with all traffic going to the tunnel's proxy. */
export interface TunnelBrowser {
  open(): Promise<BrowserWindowOutcome>;
  /** Closes the open windows, because nobody would delete their profiles later. */
  close(): void;
}

export interface Browser {
  program: string;
  kind: 'chromium' | 'firefox';
}

export interface TunnelBrowserOptions {
  /** The address (`address:port`) of the proxy whose packets all go through the tunnel; undefined if there is none. */
  proxyAddress: () => string | undefined;
  findBrowser: () => Promise<Browser | undefined>;
  env: Readonly<NodeJS.ProcessEnv>;
  /** The directory for temporary profiles. */
  directory: string;
  log: Logger;
}

export function createTunnelBrowser(options: TunnelBrowserOptions): TunnelBrowser {
  const { env, log } = options;
  const open = new Map<string, ChildProcess>();
  const logProfile = (error: unknown) =>
    log.warn({ err: error }, 'the profile of a window cannot be removed');

  async function start({ program, kind }: Browser, proxyAddress: string): Promise<void> {
    const profile = await mkdtemp(path.join(options.directory, 'waymaker-window-'));
    const removeProfile = () =>
      void rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(logProfile);
    try {
      if (kind === 'chromium') {
        await mkdir(path.join(profile, 'Default'));
        await writeFile(path.join(profile, 'Default/Preferences'), chromiumPreferences);
      } else await writeFile(path.join(profile, 'user.js'), firefoxThroughProxy(proxyAddress));
      const args =
        kind === 'chromium'
          ? [...chromiumWindow(profile), ...chromiumThroughProxy(proxyAddress), 'about:blank']
          : [...firefoxWindow(profile), 'about:blank'];
      const browser = spawn(program, args, { env: ownEnvironment(env), cwd: '/', stdio: 'ignore' });
      await once(browser, 'spawn');
      open.set(profile, browser);
      browser.once('exit', () => {
        open.delete(profile);
        removeProfile();
      });
    } catch (error) {
      removeProfile();
      throw error;
    }
  }

  return {
    async open() {
      const proxyAddress = options.proxyAddress();
      if (proxyAddress === undefined) return 'failed';
      const browser = await options.findBrowser();
      if (!browser) return 'no-browser';
      try {
        await start(browser, proxyAddress);
        return 'opened';
      } catch (error) {
        log.warn({ err: error, program: browser.program }, 'a window through the tunnel cannot be opened');
        return 'failed';
      }
    },
    close() {
      for (const [profile, browser] of open) {
        // A browser that is asked to end saves its profile first, while nobody waits for it any more.
        browser.kill('SIGKILL');
        try {
          rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
        } catch (error) {
          logProfile(error);
        }
      }
      open.clear();
    },
  };
}
