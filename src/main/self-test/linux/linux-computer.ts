import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import type { Computer, Route } from '../checks/surroundings.ts';
import { ip } from './ip.ts';
import { linuxProbes } from './linux-probes.ts';
import { takeSnapshot } from './snapshot.ts';

/** The computer that this process is on, or its network namespace. `engineUser`: the account of the helper's engine. */
export function linuxComputer({ uplink, engineUser }: { uplink: string; engineUser: string }): Computer {
  const engineUid = uidOf(engineUser);
  return {
    ...linuxProbes(uplink),
    changeRoutes(action, routes) {
      const words = action === 'add' ? 'add' : 'del';
      ip(routes.map(({ prefix, via }: Route) => `route ${words} ${prefix} via ${via} dev ${uplink}`));
    },
    changeAddresses(action, addresses) {
      ip(
        addresses.map((address) =>
          isIPv6(address)
            ? `address ${action === 'add' ? 'add' : 'del'} ${address}/128 dev ${uplink}${action === 'add' ? ' nodad' : ''}`
            : `address ${action === 'add' ? 'add' : 'del'} ${address}/32 dev ${uplink}`,
        ),
      );
    },
    snapshot: () => takeSnapshot(uplink),
    engineProcesses: () => (engineUid === undefined ? [] : processesOf(engineUid)),
  };
}

/** An account's number; undefined if there is no such account. */
export function uidOf(name: string): number | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  return line === undefined ? undefined : Number(line.split(':')[2]);
}

/**
 * The processes of an account that use this process's network, of those that it can see: a number can be that of
 * another account in a container, whose processes are nobody's business here.
 */
function processesOf(uid: number): number[] {
  const network = readlinkSync('/proc/self/ns/net');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const isOf = Number(/^Uid:\t(\d+)/m.exec(status)?.[1]) === uid && !/^State:\tZ/m.test(status);
        return isOf && readlinkSync(`/proc/${pid}/ns/net`) === network;
      } catch {
        // It has ended meanwhile.
        return false;
      }
    });
}
