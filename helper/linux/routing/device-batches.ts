import { isIPv6 } from 'node:net';
import type { DeviceConfiguration } from '../../system/ports/tunnel-device-port.ts';
import { tunnelDevice } from '../identifiers.ts';
import type { Family } from '../../network/prefix-list.ts';
import { removeTunnelRoute, tunnelRoute } from './router-rules.ts';

/** The kernel's default for a TUN device (drivers/net/tun.c, TUN_READQ_SIZE). */
const ringPackets = 500;

/**
 * Lines for `ip -batch -` that create the device for the engine's user, who can then open it without privileges.
 * `hasIpv6`: a kernel without IPv6, as with its parameter `ipv6.disable=1`, refuses settings that belong to it
 * (net/core/rtnetlink.c, validate_linkmsg), and the lines end at the first that fails.
 */
export function deviceBatch(engineUid: number, { hasIpv6 }: { hasIpv6: boolean }): string {
  return lines([
    `tuntap add dev ${tunnelDevice} mode tun user ${engineUid}`,
    // No link-local address, so the kernel sends no router solicitations.
    ...(hasIpv6 ? [`link set dev ${tunnelDevice} addrgenmode none`] : []),
    // A device that comes up with queue length 0 gets no queueing discipline (net/sched/sch_generic.c). Packets wait in
    // the engine's own ring anyway, and the locks of another queue cost 3 % of the upload speed.
    `link set dev ${tunnelDevice} txqueuelen 0`,
    `link set dev ${tunnelDevice} up`,
    // This sets the length of the ring.
    `link set dev ${tunnelDevice} txqueuelen ${ringPackets}`,
  ]);
}

export const ipVersionOf = (address: string): Family => (isIPv6(address) ? 6 : 4);
const prefixOf = (address: string) => `${address}/${ipVersionOf(address) === 6 ? 128 : 32}`;

/** Lines for `ip -batch -` that set the device's MTU, addresses and routes; existing ones stay. */
export function configureBatch({ mtu, addresses }: DeviceConfiguration): string {
  return lines([
    `link set dev ${tunnelDevice} mtu ${mtu}`,
    ...addresses.flatMap((address) => [
      `address replace ${prefixOf(address)} dev ${tunnelDevice}${ipVersionOf(address) === 6 ? ' nodad' : ''}`,
      tunnelRoute(ipVersionOf(address)),
    ]),
  ]);
}

/**
 * Lines for `ip -force -batch -` that remove addresses of an earlier configuration, and routes of IP versions without
 * addresses. Run them after adding the new ones: a device without addresses of a family loses its routes.
 */
export function removeAddressesBatch(old: readonly string[], kept: readonly string[]): string {
  const lostFamilies = ([4, 6] as const).filter(
    (family) => !kept.some((address) => ipVersionOf(address) === family),
  );
  return lines([
    ...old.map((address) => `address del ${prefixOf(address)} dev ${tunnelDevice}`),
    ...lostFamilies.map(removeTunnelRoute),
  ]);
}

function lines(all: string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
