import type { Routing } from '#shared/tunnel/state.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { TunnelConfiguration } from '../../../helper/network/tunnel-configuration.ts';
import type { Outcome, Probe } from '../../lab/linux/model/recorded-call.ts';
import { uplink } from '../../lab/linux/model/linux-model.ts';

/** What a helper is asked to do, one after the other, and what it promises then. */

export const users = { engine: 301, proxy: 302, person: 501 } as const;
export const gateways = ['192.0.2.1', '192.0.2.2'] as const;
export const gatewayPort = 443;

const routings = {
  local: { mode: 'global', localNetwork: true },
  global: { mode: 'global', localNetwork: false },
  listed: {
    mode: 'ip',
    policy: 'include',
    routeIps: ['198.51.100.0/24', '10.0.0.0/8', '2001:db8:5::/48'],
    localNetwork: false,
  },
  unlisted: {
    mode: 'ip',
    policy: 'exclude',
    routeIps: ['198.51.100.0/24', '2001:db8:5::/48'],
    localNetwork: true,
  },
  proxy: { mode: 'pac', routeDomains: ['example.com'], blockedDomains: [] },
} as const satisfies Record<string, Routing>;

const configurations = {
  both: {
    addresses: { ipv4: '10.66.0.5', ipv6: 'fd66::5' },
    mtu: 1_400,
    dns: { servers: ['10.66.0.1'], searchDomains: [] },
  },
  ipv4: {
    addresses: { ipv4: '10.66.0.9' },
    mtu: 1_300,
    dns: { servers: ['10.66.0.1'], searchDomains: [] },
  },
} as const satisfies Record<string, TunnelConfiguration>;

export type Step =
  | { kind: 'apply' | 'route'; routing: Routing }
  | { kind: 'configure'; configuration: TunnelConfiguration }
  | { kind: 'move'; gateway: string }
  | { kind: 'verify' }
  | { kind: 'release' };

export const walk: Readonly<Record<string, Step>> = {
  'connecting with the local network': { kind: 'apply', routing: routings.local },
  'the tunnel is up': { kind: 'configure', configuration: configurations.both },
  'without the local network': { kind: 'route', routing: routings.global },
  'another gateway': { kind: 'move', gateway: gateways[1] },
  'listed addresses': { kind: 'route', routing: routings.listed },
  'other addresses than listed ones': { kind: 'route', routing: routings.unlisted },
  'another address, and no IPv6': { kind: 'configure', configuration: configurations.ipv4 },
  'the proxy': { kind: 'route', routing: routings.proxy },
  'everything again': { kind: 'route', routing: routings.global },
  'a check': { kind: 'verify' },
  'the end': { kind: 'release' },
};

/** What holds after each of these steps. */
export interface Promised {
  routing: Routing;
  gateway: string;
  addresses: readonly string[];
}

export function promisedAfter(name: string): Promised | undefined {
  let promised: Promised | undefined;
  for (const [passed, step] of Object.entries(walk)) {
    switch (step.kind) {
      case 'apply':
        promised = { routing: step.routing, gateway: gateways[0], addresses: [] };
        break;
      case 'route':
        promised = promised && { ...promised, routing: step.routing };
        break;
      case 'configure':
        promised = promised && { ...promised, addresses: Object.values(step.configuration.addresses) };
        break;
      case 'move':
        promised = promised && { ...promised, gateway: step.gateway };
        break;
      case 'verify':
        break;
      case 'release':
        promised = undefined;
        break;
      default:
        step satisfies never;
    }
    if (passed === name) return promised;
  }
  throw new Error(`there is no step ${name}`);
}

const local = '192.168.1.50';
const destinations = [
  '203.0.113.80',
  '198.51.100.20',
  '10.20.30.40',
  '10.66.0.1',
  local,
  ...gateways,
  '2001:db8:99::1',
  '2001:db8:5::5',
  'fd12:1::50',
];
const services = [
  { protocol: 'tcp', destinationPort: gatewayPort },
  { protocol: 'udp', destinationPort: gatewayPort },
  { protocol: 'udp', destinationPort: 53 },
] as const;

/** Packets of each kind of program to everywhere, from each address that this machine may have. */
export const probes: readonly Probe[] = destinations.flatMap((destination) => {
  const isSix = destination.includes(':');
  const sources = [
    undefined,
    isSix ? uplink.ipv6.address : uplink.ipv4.address,
    ...Object.values(configurations)
      .flatMap(({ addresses }) => Object.values(addresses))
      .filter((address) => address.includes(':') === isSix),
  ];
  return services.flatMap((service) =>
    Object.values(users).flatMap((user): Probe[] => {
      const packet = { destination, user, ...service };
      return [
        ...sources.map((source) => ({ ...packet, ...(source !== undefined && { source }) })),
        // What TunnelVision, or a program with a socket that is bound to the link, does.
        { ...packet, device: uplink.name },
      ];
    }),
  );
});

export const describeProbe = ({ destination, protocol, destinationPort, user, source, device }: Probe) =>
  `${protocol} ${source ?? device ?? 'anywhere'} to ${destination} ${destinationPort} of ${user}`;

/** Written from docs/promises.md: whether a packet must not leave outside the tunnel. */
function belongsInTunnel({ routing, gateway }: Promised, probe: Probe): boolean {
  const { destination, user, protocol, destinationPort } = probe;
  const isEngines = user === users.engine && destination === gateway;
  if (isEngines && (protocol === 'udp' || destinationPort === gatewayPort)) return false;
  const isLocal = (destination === local || destination === 'fd12:1::50') && destinationPort !== 53;
  switch (routing.mode) {
    case 'global':
      return !(routing.localNetwork && isLocal);
    case 'ip': {
      if (routing.localNetwork && isLocal) return false;
      const isListed = routing.routeIps.some((prefix) => isInsidePrefix(destination, prefix));
      return isListed === (routing.policy === 'include');
    }
    case 'pac':
      return user === users.proxy;
    case 'app':
      throw new Error('not in this walk');
    default:
      return routing satisfies never;
  }
}

/** Packets that leave outside although all of these promises say that they belong in the tunnel. */
export const leaksIn = (send: (probe: Probe) => Outcome, promises: readonly Promised[]): string[] =>
  probes
    .filter((probe) => promises.every((promised) => belongsInTunnel(promised, probe)))
    .filter((probe) => send(probe) === 'uplink')
    .map(describeProbe);

/** What programs notice that have chosen neither address nor device. */
export function wrongWays(send: (probe: Probe) => Outcome, promised: Promised): string[] {
  const hasTunnel = (destination: string) =>
    promised.addresses.some((address) => address.includes(':') === destination.includes(':'));
  return probes
    .filter(({ source, device }) => source === undefined && device === undefined)
    .filter(({ user }) => user === users.person || promised.routing.mode === 'pac' || user === users.engine)
    .flatMap((probe) => {
      const outcome = send(probe);
      const isEngine = probe.user === users.engine;
      if (!belongsInTunnel(promised, probe))
        return outcome === 'uplink' ? [] : [`not let out: ${describeProbe(probe)}`];
      // The engine only reaches its gateway.
      const isGateway = (gateways as readonly string[]).includes(probe.destination);
      const isExpected = hasTunnel(probe.destination) && !isEngine && !isGateway;
      return isExpected && outcome !== 'tunnel' ? [`not in the tunnel: ${describeProbe(probe)}`] : [];
    });
}
