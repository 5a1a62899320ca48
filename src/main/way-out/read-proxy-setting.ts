import type { Logger } from 'pino';
import { desktopNames } from '../desktop-names.ts';
import type { RunProgram } from '../run-program.ts';
import { readGnomeProxy } from './linux/read-gnome-proxy.ts';
import { readKdeProxy } from './linux/read-kde-proxy.ts';
import type { ProxySetting } from './proxy-setting.ts';
import { readEnvironmentProxy } from './read-environment-proxy.ts';

/** What the desktop says, or the environment where that says nothing. Undefined: hosts are reached directly. */
export async function readProxySetting(options: {
  run: RunProgram;
  /** The environment of the desktop session. */
  env: Readonly<NodeJS.ProcessEnv>;
  log: Logger;
}): Promise<ProxySetting | undefined> {
  const { run, env, log } = options;
  const names = process.platform === 'linux' ? desktopNames(env) : [];
  const way = names.includes('kde')
    ? await readKdeProxy(run)
    : names.length > 0
      ? await readGnomeProxy(run)
      : undefined;
  switch (way?.kind) {
    case 'proxy':
      return way;
    case 'script':
      log.info('the desktop’s proxies are chosen by a script, which is not followed');
      break;
    case 'direct':
    case undefined:
      break;
    default:
      way satisfies never;
  }
  return readEnvironmentProxy(env);
}
