import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { serviceExitCode } from '#node/os/windows/service-status.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { Say } from '#shared/texts/say.ts';
import type { Finding } from '../finding.ts';
import type { KernelRoute, SystemView } from '../system-view.ts';

/** The helper's adapter and its service (helper/windows/device, helper/windows/service). */
const tunnelDevice = 'Waymaker';
const serviceName = 'Waymaker';
/** The status with which it ends then (helper/check-installation.ts). */
const refusedStatus = 78;
/** Names that other programs give to their adapters. */
const tunnelNames =
  /tailscale|zerotier|nordlynx|proton|mullvad|openvpn|wireguard|wintun|anyconnect|globalprotect|fortinet|^tap-/i;

export const windowsSystem: SystemView = {
  check,
  hasHelperRefused,
  routeTo,
  isByDestination: () => Promise.resolve(false),
  networksIntoTunnel: () => Promise.resolve([]),
  isInGroup: () => false,
  listenerUser: () => Promise.resolve(undefined),
};

async function check(_env: Readonly<NodeJS.ProcessEnv>, say: Say): Promise<Finding[]> {
  const others = Object.keys(networkInterfaces()).filter((name) => tunnelNames.test(name));
  return [
    others.length === 0
      ? { check: 'other-vpn', outcome: 'ok' }
      : {
          check: 'other-vpn',
          outcome: 'problem',
          text: say('doctor.otherVpnFound', { devices: others.join(', ') }),
        },
  ];
}

async function hasHelperRefused(): Promise<boolean> {
  try {
    return serviceExitCode(serviceName) === refusedStatus;
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
