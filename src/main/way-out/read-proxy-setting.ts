import type { RunProgram } from '../run-program.ts';
import { readLinuxProxy } from './linux/read-linux-proxy.ts';
import { scriptByDhcp as linuxScriptByDhcp } from './linux/script-by-dhcp.ts';
import { readMacosProxy } from './macos/read-macos-proxy.ts';
import { scriptByDhcp as macosScriptByDhcp } from './macos/script-by-dhcp.ts';
import { readWindowsProxy } from './windows/read-windows-proxy.ts';
import type { DesktopWay, EarlierSettings } from './desktop-way.ts';
import type { ProxySetting } from './proxy-setting.ts';
import { readEnvironmentProxy } from './read-environment-proxy.ts';

/**
 * What leads out of this computer's network, where something does: a proxy, or what the script at this address names.
 */
export type ProxyRule =
  | Extract<DesktopWay, { kind: 'proxy' }>
  | { kind: 'script'; address: string }
  /** What the script names that this network says it has; without one, the other proxy, if there is one. */
  | { kind: 'discovery'; otherwise: ProxySetting | undefined };

/** What the desktop says, or the environment where that says nothing. Undefined: hosts are reached directly. */
export async function readProxySetting(options: {
  run: RunProgram;
  /** The environment of the desktop session. */
  env: Readonly<NodeJS.ProcessEnv>;
  /** What settings were before our own script was put there, by the name that `DesktopProxies` has for their place. */
  before: Readonly<Record<string, EarlierSettings | undefined>>;
  platform?: NodeJS.Platform;
}): Promise<ProxyRule | undefined> {
  const way = await readDesktop(options);
  const ofEnvironment = readEnvironmentProxy(options.env);
  switch (way?.kind) {
    case 'proxy':
      return way;
    case 'script':
      if (way.address !== undefined) return { kind: 'script', address: way.address };
      return { kind: 'discovery', otherwise: way.otherwise ?? ofEnvironment };
    case 'direct':
    case undefined:
      break;
    default:
      way satisfies never;
  }
  return ofEnvironment && { kind: 'proxy', ...ofEnvironment };
}

/** Undefined where there is no desktop that says anything. */
async function readDesktop(options: Parameters<typeof readProxySetting>[0]): Promise<DesktopWay | undefined> {
  const { run, env, before, platform = process.platform } = options;
  if (platform === 'darwin')
    return await readMacosProxy(
      run,
      Object.values(before).filter((kept) => kept !== undefined),
    );
  if (platform === 'win32') return readWindowsProxy(before['windows']);
  return platform === 'linux' ? await readLinuxProxy(run, env, before) : undefined;
}

/**
 * Where a server of DHCP says that the script is, as the system tells; undefined if it says nothing, or cannot be
 * asked.
 */
export async function readScriptByDhcp(
  run: RunProgram,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (platform === 'darwin') return await macosScriptByDhcp(run);
  return platform === 'linux' ? await linuxScriptByDhcp(run) : undefined;
}
