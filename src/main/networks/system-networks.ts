import type { Logger } from 'pino';
import { createNetworkManager } from './linux/network-manager.ts';
import type { Networks } from './networks.ts';

/** The default address of a system's message bus (D-Bus specification, "System message bus"). */
const usualBus = 'unix:path=/var/run/dbus/system_bus_socket';

/** The system's networks; undefined on systems that the app does not support here. */
export function systemNetworks(system: {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  log: Logger;
}): Networks | undefined {
  const { platform, env, log } = system;
  if (platform !== 'linux') return undefined;
  return createNetworkManager({ busAddress: env['DBUS_SYSTEM_BUS_ADDRESS'] ?? usualBus, log });
}
