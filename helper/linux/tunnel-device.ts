import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import { tunnelDevice } from './identifiers.ts';
import { removeTunnelRoute, tunnelRoute } from './policy-routing.ts';

/** Lines for `ip -batch -` that make the device for the engine's user, who can then open it unprivileged. */
export function deviceBatch(engineUid: number): string {
  return [
    `tuntap add dev ${tunnelDevice} mode tun user ${engineUid}`,
    // No link-local address and so no router solicitations of the kernel's own.
    `link set dev ${tunnelDevice} addrgenmode none`,
    `link set dev ${tunnelDevice} up`,
    '',
  ].join('\n');
}

/** Line that removes the device, and with it all that is on it. */
export const removeDeviceBatch = `link del dev ${tunnelDevice}\n`;

type Addresses = TunnelConfiguration['addresses'];

/**
 * Lines for `ip -batch -`, without a family, that give the device its MTU, addresses and routes in place of the
 * ones it has. New addresses come before the old ones go: the kernel takes a device's routes away with its last
 * address.
 */
export function configureBatch(mtu: number, before: Addresses, after: Addresses): string {
  const families = [
    { family: 4, length: 32, old: before.ipv4, fresh: after.ipv4, options: '' },
    { family: 6, length: 128, old: before.ipv6, fresh: after.ipv6, options: ' nodad' },
  ] as const;
  const perFamily = families.flatMap(({ family, length, old, fresh, options }) => [
    ...(fresh === undefined ? [] : [`address replace ${fresh}/${length} dev ${tunnelDevice}${options}`]),
    ...(old === undefined || old === fresh ? [] : [`address del ${old}/${length} dev ${tunnelDevice}`]),
    ...(fresh === undefined ? [] : [tunnelRoute(family)]),
    // The kernel may have removed it already, with the last address.
    ...(fresh === undefined && old !== undefined ? [tunnelRoute(family), removeTunnelRoute(family)] : []),
  ]);
  return [`link set dev ${tunnelDevice} mtu ${mtu}`, ...perFamily].map((line) => `${line}\n`).join('');
}
