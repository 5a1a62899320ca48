import type { Logger } from 'pino';
import { createNetworkManager } from './network-manager.ts';
import type { Networks } from './networks.ts';

/** Where a system's message bus is unless its environment says otherwise (D-Bus specification, "System message bus"). */
const usualBus = 'unix:path=/var/run/dbus/system_bus_socket';

/** What this system says of its networks; undefined where the app does not ask it. */
export function systemNetworks(system: {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  log: Logger;
}): Networks | undefined {
  const { platform, env, log } = system;
  if (platform !== 'linux') return undefined;
  return createNetworkManager({ busAddress: env['DBUS_SYSTEM_BUS_ADDRESS'] ?? usualBus, log });
}
