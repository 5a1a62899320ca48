import { isGroupExcepted, type Capture, type RoutingPlan } from '../modes/routing-plan.ts';
import type { NamedPrefixes } from '../modes/split.ts';
import { planOf } from '../modes/plan-of.ts';
import { addressesOf } from '../network/gateway-endpoint.ts';
import type { TunnelConfiguration } from '../network/tunnel-configuration.ts';
import { capturedPrefixes } from './captured-prefixes.ts';
import type { DnsPort, DnsUndo } from './ports/dns-port.ts';
import { noNetworks, type NearbyNetworks } from '../network/nearby-networks.ts';
import type { ProxyProcess } from './ports/proxy-host-port.ts';
import type { Connection } from './system-adapter.ts';

/** The current setup. */
export interface AppliedNetwork {
  connection: Connection;
  plan: RoutingPlan;
  /** What mode global captures at a server that has named its own networks. */
  split: NamedPrefixes | undefined;
  /** Absent while DNS is unchanged. */
  dns: { undo: DnsUndo | undefined } | undefined;
  configuration: TunnelConfiguration | undefined;
  /** The gateway's port for datagrams, as far as it is known. */
  datagramPort: number | undefined;
  /** See `FilterRules`. */
  maxSegment: number | undefined;
  /** How long the gateway takes to answer, in milliseconds, as far as it is known. */
  roundTripMs: number | undefined;
  /** Addresses that the device, rules and connections may have, including those of failed configurations. */
  assigned: string[];
  /** The networks in which this machine has addresses. */
  attachedNetworks: Promise<string[]>;
  networks: NearbyNetworks;
  /** What `resolversPast` returns for the plan. */
  outsideResolvers: readonly string[];
  proxy: ProxyProcess | undefined;
  /** What other plans capture that could neither be kept nor put back: it stays refused outside the tunnel, too. */
  alsoRefused: readonly Capture[];
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
  datagramPort: undefined,
  maxSegment: undefined,
  roundTripMs: undefined,
  assigned: [...(connection.awaitedAddresses ?? [])],
  networks: noNetworks,
  outsideResolvers: [],
  proxy: undefined,
  alsoRefused: [],
});

/** What a connection requires of the system, as far as its gateway has said what it wants. */
export async function planFor(
  connection: Connection,
  attachedNetworks: () => Promise<string[]>,
): Promise<Pick<AppliedNetwork, 'plan' | 'split'>> {
  const { routing, pushedRoutes } = connection;
  const split =
    connection.split && pushedRoutes
      ? capturedPrefixes(pushedRoutes, {
          attachedNetworks: await attachedNetworks(),
          gateways: addressesOf(connection),
        })
      : undefined;
  return { plan: planOf(routing, split), split };
}

/**
 * The resolvers that the machine asks without a tunnel, if this capture lets a group of programs go past it; with
 * captured prefixes, the resolvers that it would ask in addition to the tunnel's.
 */
export async function resolversPast(capture: Capture, dns: DnsPort): Promise<readonly string[]> {
  if (capture.kind === 'prefixes') return await dns.rivalServers();
  return isGroupExcepted([capture]) ? await dns.originalServers() : [];
}
