import { isGroupExcepted, type Capture } from '../modes/routing-plan.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { NearbyNetworks } from '../network/nearby-networks.ts';
import { addressList, type TunnelConfiguration } from '../network/tunnel-configuration.ts';
import type { GatewayEndpoint } from '../network/gateway-endpoint.ts';
import type { AppliedNetwork } from './applied-network.ts';
import { askedServers } from './asked-resolvers.ts';
import type { FilterRules } from './ports/packet-filter-port.ts';
import type { RoutingRules } from './ports/router-port.ts';
import type { DeviceConfiguration } from './ports/tunnel-device-port.ts';
import type { Connection } from './system-adapter.ts';

/** The packet filter for a network; `also`: what another mode captures is refused outside the tunnel, too. */
export function filterRulesOf(network: AppliedNetwork, also: readonly Capture[] = []): FilterRules {
  const captures = [...also, ...network.alsoRefused, network.plan.capture];
  return {
    captures,
    gateway: endpointOf(network),
    maxSegment: network.maxSegment,
    tunnelAddresses: network.configuration ? addressList(network.configuration.addresses) : [],
    awaitedAddresses: network.configuration ? [] : (network.connection.awaitedAddresses ?? []),
    allowIncoming: network.connection.allowIncoming === true,
    networks: network.networks,
    resolvers: [...capturedResolvers(network), ...rivalResolvers(network)],
    proxyPort: network.proxy?.listening?.port,
    owner: network.connection.owner,
    groupResolvers: groupResolvers(captures, {
      inside: network.configuration?.dns.servers ?? [],
      outside: network.outsideResolvers,
    }),
    fromStartOn: network.connection.killSwitch,
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
  networks: besideTunnel(network.networks, tunnelAddresses),
  gateway: endpointOf(network),
  tunnelAddresses,
  resolvers: capturedResolvers(network),
  owner: network.connection.owner,
});

/** A network in which nobody is gives way to the tunnel's, if the gateway has assigned an address in it. */
function besideTunnel(networks: NearbyNetworks, tunnelAddresses: readonly string[]): NearbyNetworks {
  const { prefixes, unused } = networks.internal;
  const isTunnels = (prefix: string) =>
    unused.includes(prefix) && tunnelAddresses.some((own) => isInsidePrefix(own, prefix));
  return {
    ...networks,
    internal: { ...networks.internal, prefixes: prefixes.filter((prefix) => !isTunnels(prefix)) },
  };
}

/** In mode ip, they may be inside prefixes that are not captured. */
const capturedResolvers = (network: AppliedNetwork): string[] =>
  network.plan.capture.kind === 'prefixes' && network.plan.resolvers === 'tunnel'
    ? askedServers(network)
    : [];

export const deviceConfigurationOf = ({ mtu, addresses }: TunnelConfiguration): DeviceConfiguration => ({
  mtu,
  addresses: addressList(addresses),
});

/** What the engine talks to: the gateway, or the proxy before it. */
export const gatewayOf = ({ address, gateway, proxy }: Connection): GatewayEndpoint => ({
  address,
  port: proxy?.port ?? gateway.port,
  isProxy: proxy !== undefined,
});
const endpointOf = ({ connection, datagramPort }: AppliedNetwork): GatewayEndpoint => ({
  ...gatewayOf(connection),
  otherAddresses: connection.otherAddresses,
  datagramPort,
});

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
  const gateway = connection && {
    ...gatewayOf(connection),
    otherAddresses: connection.otherAddresses,
  };
  const captures = [...also, capture];
  return {
    filter: {
      captures,
      gateway,
      maxSegment: undefined,
      tunnelAddresses: [],
      awaitedAddresses: connection?.awaitedAddresses ?? [],
      allowIncoming: false,
      networks,
      resolvers: [],
      proxyPort: undefined,
      owner: connection?.owner,
      groupResolvers: groupResolvers(captures, { inside: [], outside: outsideResolvers }),
      fromStartOn: true,
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
