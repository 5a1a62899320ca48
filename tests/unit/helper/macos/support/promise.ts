import type { Routing } from '#shared/tunnel/state.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { Outcome, Probe } from '../../../../lab/darwin/model/packet-way.ts';
import { wifi, wifi6 } from '../../../../lab/darwin/model/machine.ts';
import { users } from './modelled-helper.ts';

/** What a helper has promised: whose packets belong in the tunnel. */
export interface TrafficPromise {
  routing: Routing;
  gateway: string;
  /** What a server that has named its networks wants in the tunnel in mode global. */
  split?: readonly string[];
}

export const port = 443;
const local = '192.168.1.50';
const destinations = [
  '203.0.113.80',
  '198.51.100.20',
  '8.8.8.8',
  '10.20.30.40',
  local,
  '192.0.2.1',
  '192.0.2.2',
  '2001:db8:99::1',
  '2001:db8:5::5',
  '2001:db8:1::50',
] as const;

/** Written from docs/promises.md: whether a packet must not leave outside the tunnel. */
export function belongsInTunnel({ routing, gateway, split }: TrafficPromise, probe: Probe): boolean {
  const { destination, user, protocol } = probe;
  const isEngines = user === users.engine && destination === gateway;
  if (isEngines && (protocol === 'udp' || probe.destinationPort === port)) return false;
  const isLookUp = probe.destinationPort === 53;
  const isLocal = destination === local && !isLookUp;
  const isListed = (prefixes: readonly string[]) =>
    prefixes.some((prefix) => isInsidePrefix(destination, prefix));
  switch (routing.mode) {
    case 'global':
      if (split) return isListed(split) && destination !== gateway;
      return !(routing.localNetwork && isLocal);
    case 'ip':
      if (routing.localNetwork && isLocal) return false;
      return isListed(routing.routeIps) === (routing.policy === 'include');
    case 'pac':
      return user === users.proxy;
    case 'app':
      throw new Error('not offered on macOS');
    default:
      return routing satisfies never;
  }
}

/** Packets of each kind of program to everywhere, from each address that this machine may have. */
export function probesFrom(tunnelAddresses: readonly string[]): Probe[] {
  const found: Probe[] = [];
  for (const destination of destinations) {
    const isSix = destination.includes(':');
    const own = tunnelAddresses.filter((address) => address.includes(':') === isSix);
    const onLink = isSix ? wifi6.address : wifi.address;
    for (const user of [users.person, users.engine, users.proxy]) {
      const packet = { destination, user, sourcePort: 50_000, destinationPort: port };
      for (const source of [onLink, ...own])
        found.push(
          { ...packet, source, protocol: 'tcp' },
          { ...packet, source, protocol: 'udp', destinationPort: 53 },
        );
      // What TunnelVision and programs like ping -b do: a socket that is bound to the link.
      found.push({ ...packet, source: onLink, protocol: 'tcp', boundTo: wifi.name });
    }
  }
  return found;
}

export const isOutside = (outcome: Outcome) => outcome !== 'refused' && outcome.by === wifi.name;
export const isInTunnel = (outcome: Outcome) => outcome !== 'refused' && outcome.by.startsWith('utun');
