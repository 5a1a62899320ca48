import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { serviceStatus } from './service-status.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { KernelRoute, SystemView } from '../system-view.ts';
import { checkThisComputer, thisComputer } from './this-computer.ts';

/** The helper's adapter and its service (helper/windows/device, helper/windows/service). */
const tunnelDevice = 'Waymaker';
const serviceName = 'Waymaker';
/** The status with which it ends then (helper/check-installation.ts). */
const refusedStatus = 78;

export const windowsSystem: SystemView = {
  check: (_, say) => Promise.resolve(checkThisComputer(thisComputer, say)),
  hasHelperRefused,
  routeTo,
  isByDestination: () => Promise.resolve(false),
  networksIntoTunnel: () => Promise.resolve([]),
  isInGroup: () => false,
  listenerUser: () => Promise.resolve(undefined),
};

async function hasHelperRefused(): Promise<boolean> {
  try {
    return serviceStatus(serviceName)?.exitCode === refusedStatus;
  } catch {
    return false;
  }
}

/** A port that nobody needs to listen on, since nothing is sent. */
const anyPort = 9;

/** The system says from which address it would send, and that is an adapter's. For no other user but this one. */
async function routeTo(address: string): Promise<KernelRoute | undefined> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    socket.connect(anyPort, address);
    await once(socket, 'connect');
    const { address: own } = socket.address();
    for (const [device, found = []] of Object.entries(networkInterfaces())) {
      const match = found.find((one) => one.address === own);
      if (match)
        return {
          address,
          device,
          isTunnel: device === tunnelDevice,
          isThisMachine: match.internal,
          isOnLink: match.internal || (match.cidr !== null && isInsidePrefix(address, match.cidr)),
        };
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}
