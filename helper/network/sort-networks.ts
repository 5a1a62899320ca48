import { isIPv6 } from 'node:net';
import { blockListOf } from '#node/network/block-list.ts';
import { localNetworks } from '#shared/tunnel/local-networks.ts';
import type { NearbyNetworks } from './nearby-networks.ts';

/** A route of the system's table that has a device. */
export interface DeviceRoute {
  device: string;
  family: 'ipv4' | 'ipv6';
  address: string;
  length: number;
  /** Through a router; otherwise the network is attached to the device. */
  hasGateway: boolean;
  /** It comes from a router advertisement, not from this machine. */
  isAdvertised: boolean;
}

/** How many networks of each kind are considered: a neighbour may advertise any number of them. */
const maxNetworks = 32;

/** A network is as private as the range that it is inside. */
const privateRanges = localNetworks.map((prefix) => ({
  range: blockListOf([prefix]),
  length: Number(prefix.split('/')[1]),
}));

/** Anything wider is a default route in pieces, whoever owns it. */
const shortestPrefix = { ipv4: 8, ipv6: 16 } as const;

/** No public network that is attached to one link is wider. */
const shortestPublic = { ipv4: 16, ipv6: 48 } as const;

export const isPieceOfDefault = ({ length, family }: DeviceRoute) => length < shortestPrefix[family];

const isPrivate = (route: DeviceRoute) =>
  !isPieceOfDefault(route) &&
  privateRanges.some(
    ({ range, length }) => route.length >= length && range.check(route.address, route.family),
  );

const prefixesOf = (routes: readonly DeviceRoute[]) =>
  [...new Set(routes.map(({ address, length }) => `${address}/${length}`))].slice(0, maxNetworks);

/** Which of these networks are near, and how; `isInternal`: a device that only leads to this machine's own guests. */
export function sortNetworks(
  attached: readonly DeviceRoute[],
  {
    isInternal,
    isUnused,
  }: { isInternal: (device: string) => boolean; isUnused: (device: string) => boolean },
): Pick<NearbyNetworks, 'local' | 'attachedPublic' | 'onLink'> &
  Record<'internal', Pick<NearbyNetworks['internal'], 'prefixes' | 'unused'>> {
  const [internal, external] = [true, false].map((is) =>
    attached.filter(({ device }) => isInternal(device) === is),
  ) as [DeviceRoute[], DeviceRoute[]];
  const own = internal.filter((route) => !route.isAdvertised && !isPieceOfDefault(route));
  return {
    local: prefixesOf(external.filter(isPrivate)),
    attachedPublic: prefixesOf(external.filter((route) => !isPieceOfDefault(route) && !isPrivate(route))),
    onLink: prefixesOf(
      external.filter((route) => isPrivate(route) || route.length >= shortestPublic[route.family]),
    ),
    internal: {
      prefixes: prefixesOf(own),
      unused: prefixesOf(own.filter(({ device }) => isUnused(device))),
    },
  };
}

/** A lease may claim that half the internet is attached; then the machine has the address, but no network. */
export function attachedPrefix(address: string, length: number): string {
  const [shortest, host] = isIPv6(address) ? [shortestPrefix.ipv6, 128] : [shortestPrefix.ipv4, 32];
  return `${address}/${length < shortest ? host : Math.min(length, host)}`;
}
