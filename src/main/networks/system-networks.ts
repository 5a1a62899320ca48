import type { Logger } from 'pino';
import { createNetworkManager, systemBusAddress } from './linux/network-manager.ts';
import { createRunProgram } from '../run-program.ts';
import { createMacosNetworks } from './macos/macos-networks.ts';
import type { Networks } from './networks.ts';
import { createWindowsNetworks } from './windows/windows-networks.ts';

/** The name of a Wi-Fi network takes macOS some seconds, and PowerShell on Windows its start. */
const timeLimitMs = 20_000;

/** The system's networks; undefined on systems that the app does not support here. */
export function systemNetworks(system: {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  log: Logger;
}): Networks | undefined {
  const { platform, env, log } = system;
  if (platform === 'linux') return createNetworkManager({ busAddress: systemBusAddress(env), log });
  const run = createRunProgram({ timeLimitMs });
  if (platform === 'win32') return createWindowsNetworks(run);
  return platform === 'darwin' ? createMacosNetworks(run) : undefined;
}
