import type { Logger } from 'pino';
import { desktopNames } from '../desktop-names.ts';
import type { RunProgram } from '../run-program.ts';
import { readGnomeProxy } from './linux/read-gnome-proxy.ts';
import { readKdeProxy } from './linux/read-kde-proxy.ts';
import type { DesktopWay, EarlierSettings } from './desktop-way.ts';
import { readEnvironmentProxy } from './read-environment-proxy.ts';

/** What leads out of this computer's network, where something does: a proxy, or what the script at this address names. */
export type ProxyRule = Extract<DesktopWay, { kind: 'proxy' }> | { kind: 'script'; address: string };

/** What the desktop says, or the environment where that says nothing. Undefined: hosts are reached directly. */
export async function readProxySetting(options: {
  run: RunProgram;
  /** The environment of the desktop session. */
  env: Readonly<NodeJS.ProcessEnv>;
  /** What a desktop's settings were before our own script was put there, if it was. */
  before: (desktop: 'gnome' | 'kde') => EarlierSettings | undefined;
  log: Logger;
}): Promise<ProxyRule | undefined> {
  const { run, env, before, log } = options;
  const names = process.platform === 'linux' ? desktopNames(env) : [];
  const way = names.includes('kde')
    ? await readKdeProxy(run, before('kde'))
    : names.length > 0
      ? await readGnomeProxy(run, before('gnome'))
      : undefined;
  switch (way?.kind) {
    case 'proxy':
      return way;
    case 'script':
      if (way.address !== undefined) return { kind: 'script', address: way.address };
      log.info('the desktop has its programs look for a script on the network, which is not done here');
      break;
    case 'direct':
    case undefined:
      break;
    default:
      way satisfies never;
  }
  const ofEnvironment = readEnvironmentProxy(env);
  return ofEnvironment && { kind: 'proxy', ...ofEnvironment };
}
