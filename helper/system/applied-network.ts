import { isGroupExcepted, planOf, type Capture, type RoutingPlan } from '../modes/routing-plan.ts';
import type { CapturedPrefixes } from '../modes/split.ts';
import type { TunnelConfiguration } from '../network/tunnel-configuration.ts';
import { capturedPrefixes } from './captured-prefixes.ts';
import type { DnsPort } from './ports/dns-port.ts';
import type { DnsStep } from './journal-entry.ts';
import { addressList } from '../network/tunnel-configuration.ts';
import { noNetworks, type NearbyNetworks } from '../network/nearby-networks.ts';
import type { DeviceConfiguration } from './ports/tunnel-device-port.ts';
import type { FilterRules } from './ports/packet-filter-port.ts';
import type { RoutingRules } from './ports/router-port.ts';
import type { ProxyProcess } from './ports/proxy-host-port.ts';
import type { Connection } from './system-adapter.ts';
import { askedServers } from './tunnel-dns.ts';

/** The current setup. */
export interface AppliedNetwork {
  connection: Connection;
  plan: RoutingPlan;
  /** What mode global captures at a server that has named its own networks. */
  split: CapturedPrefixes | undefined;
  /** Absent while DNS is unchanged. */
  dns: { step: DnsStep | undefined } | undefined;
  configuration: TunnelConfiguration | undefined;
  /** Addresses that the device and rules may have, including those of failed configurations. */
  assigned: string[];
  /** The networks in which this machine has addresses. */
  attachedNetworks: Promise<string[]>;
  networks: NearbyNetworks;
  /** What `resolversPast` returns for the plan. */
  outsideResolvers: readonly string[];
  proxy: ProxyProcess | undefined;
}

export const newNetwork = async (
  connection: Connection,
  attachedNetworks: Promise<string[]>,
): Promise<AppliedNetwork> => ({
  connection,
  attachedNetworks,
  ...(await planFor(connection, () => attachedNetworks)),
  dns: undefined,
  configuration: undefined,
  assigned: [],
  networks: noNetworks,
  outsideResolvers: [],
  proxy: undefined,
});

/** What a connection requires of the system, as far as its gateway has said what it wants. */
export async function planFor(
  connection: Connection,
  attachedNetworks: () => Promise<string[]>,
): Promise<Pick<AppliedNetwork, 'plan' | 'split'>> {
  const { routing, pushedRoutes, address } = connection;
  const split =
    connection.split && pushedRoutes
      ? capturedPrefixes(pushedRoutes, { attachedNetworks: await attachedNetworks(), gateway: address })
      : undefined;
  return { plan: planOf(routing, split), split };
}

/** The packet filter for a network; `also`: what another mode captures is refused outside the tunnel, too. */
export function filterRulesOf(network: AppliedNetwork, also: readonly Capture[] = []): FilterRules {
  const captures = [...also, network.plan.capture];
  return {
    captures,
    gateway: gatewayOf(network.connection),
    tunnelAddresses: network.configuration ? addressList(network.configuration.addresses) : [],
    networks: network.networks,
    resolvers: [...capturedResolvers(network), ...rivalResolvers(network)],
    proxyPort: network.proxy?.listening?.port,
    owner: network.connection.owner,
    groupResolvers: groupResolvers(captures, {
      inside: network.configuration?.dns.servers ?? [],
      outside: network.outsideResolvers,
    }),
  };
}

/**
 * The resolvers of a group of programs, whatever the machine's other programs use: the same way as its packets. If it
 * goes past the tunnel and no resolver is known there, its look-ups are not redirected.
 */
function groupResolvers(
  captures: readonly Capture[],
  { inside, outside }: { inside: readonly string[]; outside: readonly string[] },
): readonly string[] | undefined {
  if (captures.some(({ kind }) => kind === 'group')) return inside;
  return isGroupExcepted(captures) && outside.length > 0 ? outside : undefined;
}

/**
 * The resolvers that the machine asks without a tunnel, if this capture lets a group of programs go past it; with captured
 * prefixes, the resolvers that it would ask in addition to the tunnel's.
 */
export async function resolversPast(capture: Capture, dns: DnsPort): Promise<readonly string[]> {
  if (capture.kind === 'prefixes') return await dns.rivalServers();
  return isGroupExcepted([capture]) ? await dns.originalServers() : [];
}

/** Nobody else is asked, since the tunnel's resolvers may give other answers. */
const rivalResolvers = (network: AppliedNetwork): readonly string[] =>
  network.plan.capture.kind === 'prefixes' && askedServers(network).length > 0
    ? network.outsideResolvers
    : [];

export const routingRulesOf = (
  network: AppliedNetwork,
  tunnelAddresses: readonly string[] = network.assigned,
): RoutingRules => ({
  capture: network.plan.capture,
  networks: network.networks,
  gateway: gatewayOf(network.connection),
  tunnelAddresses,
  resolvers: capturedResolvers(network),
  owner: network.connection.owner,
});

/** In mode ip, they may be inside prefixes that are not captured. */
const capturedResolvers = (network: AppliedNetwork): string[] =>
  network.plan.capture.kind === 'prefixes' && network.plan.resolvers === 'tunnel'
    ? askedServers(network)
    : [];

export const deviceConfigurationOf = ({ mtu, addresses }: TunnelConfiguration): DeviceConfiguration => ({
  mtu,
  addresses: addressList(addresses),
});

const gatewayOf = ({ address, gateway }: Connection) => ({ address, port: gateway.port });

/**
 * The rules that block traffic without a tunnel; for any connection, if it is not known which. `also`: what another
 * mode captures stays blocked, too.
 */
export function blockingRules(
  connection: Connection | undefined,
  {
    capture,
    networks,
    also,
    outsideResolvers,
  }: {
    capture: Capture;
    also: readonly Capture[];
  } & Pick<AppliedNetwork, 'networks' | 'outsideResolvers'>,
): { filter: FilterRules; routing: RoutingRules } {
  const gateway = connection && gatewayOf(connection);
  const captures = [...also, capture];
  return {
    filter: {
      captures,
      gateway,
      tunnelAddresses: [],
      networks,
      resolvers: [],
      proxyPort: undefined,
      owner: connection?.owner,
      groupResolvers: groupResolvers(captures, { inside: [], outside: outsideResolvers }),
    },
    routing: {
      capture,
      networks,
      gateway,
      tunnelAddresses: [],
      resolvers: [],
      owner: connection?.owner,
    },
  };
}
