import { isIPv6 } from 'node:net';
import type { DeviceConfiguration } from '../system/ports.ts';
import { tunnelDevice } from './identifiers.ts';
import type { Family } from './prefix-ranges.ts';
import { removeTunnelRoute, tunnelRoute } from './router-rules.ts';

/** What the kernel gives a TUN device by itself (drivers/net/tun.c, TUN_READQ_SIZE). */
const ringPackets = 500;

/** Lines for `ip -batch -` that make the device for the engine's user, who can then open it unprivileged. */
export function deviceBatch(engineUid: number): string {
  return lines([
    `tuntap add dev ${tunnelDevice} mode tun user ${engineUid}`,
    // No link-local address and so no router solicitations of the kernel's own.
    `link set dev ${tunnelDevice} addrgenmode none`,
    // Coming up without a queue length, a device gets no queueing discipline (net/sched/sch_generic.c): packets
    // wait in the engine's own ring anyway, and locks of a queue before it cost 3 % of what an upload reaches.
    `link set dev ${tunnelDevice} txqueuelen 0`,
    `link set dev ${tunnelDevice} up`,
    // That length is the ring's.
    `link set dev ${tunnelDevice} txqueuelen ${ringPackets}`,
  ]);
}

export const familyOf = (address: string): Family => (isIPv6(address) ? 6 : 4);
const prefixOf = (address: string) => `${address}/${familyOf(address) === 6 ? 128 : 32}`;

/** Lines for `ip -batch -` that give the device its MTU, addresses and routes; those it has already stay. */
export function configureBatch({ mtu, addresses }: DeviceConfiguration): string {
  return lines([
    `link set dev ${tunnelDevice} mtu ${mtu}`,
    ...addresses.flatMap((address) => [
      `address replace ${prefixOf(address)} dev ${tunnelDevice}${familyOf(address) === 6 ? ' nodad' : ''}`,
      tunnelRoute(familyOf(address)),
    ]),
  ]);
}

/**
 * Lines for `ip -force -batch -` that take away addresses of an earlier configuration, and routes that have none
 * left. To be run after the new ones are there: with its last address of a family a device loses its routes.
 */
export function removeAddressesBatch(old: readonly string[], kept: readonly string[]): string {
  const lostFamilies = ([4, 6] as const).filter(
    (family) => !kept.some((address) => familyOf(address) === family),
  );
  return lines([
    ...old.map((address) => `address del ${prefixOf(address)} dev ${tunnelDevice}`),
    ...lostFamilies.map(removeTunnelRoute),
  ]);
}

function lines(all: string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
