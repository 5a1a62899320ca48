import type { Logger } from 'pino';
import { createNetworkManager, systemBusAddress } from './linux/network-manager.ts';
import type { Networks } from './networks.ts';

/** The system's networks; undefined on systems that the app does not support here. */
export function systemNetworks(system: {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  log: Logger;
}): Networks | undefined {
  const { platform, env, log } = system;
  return platform === 'linux' ? createNetworkManager({ busAddress: systemBusAddress(env), log }) : undefined;
}
