import { isIP } from 'node:net';
import { isCaptured } from '../../modes/is-captured.ts';
import { type LocalExceptions, localNetworksOf } from '../../modes/local-exceptions.ts';
import type { Capture } from '../../modes/routing-plan.ts';
import { addressesOf } from '../../network/gateway-endpoint.ts';
import { localMulticast } from '../../network/local-traffic.ts';
import { portalPorts, type PortalRules } from '../../system/ports/portal-port.ts';
import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import type { FilterCondition } from '../calls/filtering.ts';
import {
  type Family,
  icmp6,
  identified,
  inTunnel,
  lookUps,
  ofFamily,
  protocol,
  remotePorts,
  remotes,
  tcp,
  udp,
} from './conditions.ts';
import {
  blocked,
  bothWays,
  type FilterSurroundings,
  type Lifetime,
  type Rule,
  tunnelPermit,
  type Way,
  withinMachine,
} from './rule.ts';
import { weights } from './weights.ts';

/**
 * Router solicitation and advertisement, neighbour solicitation and advertisement (RFC 4861 §4), and what switches that
 * listen in have to hear (RFC 2710 §3, RFC 3810 §5): queries, reports, and that a group is left.
 */
const neighbourTypes = {
  connect: [131, 132, 133, 135, 136, 143],
  accept: [130, 134, 135, 136],
} as const;

/** What may leave although it is captured. */
export function exemptions(
  family: Family,
  rules: FilterRules,
  surroundings: FilterSurroundings,
  capture: Extract<Capture, LocalExceptions>,
): Rule[] {
  const localNetworks = localNetworksOf(rules.networks, [capture]);
  return [
    withinMachine(family, 'from-start-on'),
    ...tunnelRules(family, rules, surroundings, bothWays),
    ...engineRules(family, rules, surroundings),
    ...linkRules(family, rules),
    ...localNetworkRules(family, localNetworks),
    ...(localNetworks.length > 0 ? othersAtProxyRules(family, rules, capture) : []),
  ];
}

/** Through the tunnel, only what has one of its own addresses. `ways`: in which directions. */
export function tunnelRules(
  family: Family,
  { tunnelAddresses }: FilterRules,
  { tunnel }: FilterSurroundings,
  ways: readonly Way[],
): Rule[] {
  if (tunnel === undefined) return [];
  return [
    ...ofFamily(tunnelAddresses, family).map((address) => ({
      ...tunnelPermit(family, tunnel, address),
      ways,
    })),
    {
      ...blocked('other addresses in the tunnel', family, weights.elsewhereInTunnel, [inTunnel(tunnel)]),
      lifetime: 'now',
    },
  ];
}

/** What all rules have in common that let one of our own programs connect. */
const ownConnections = (family: Family) =>
  ({ family, ways: ['connect'], action: 'permit', weight: weights.ownPrograms, lifetime: 'now' }) as const;

/**
 * Only the engine: otherwise somebody could make a site's name resolve to the gateway's address, and its visitors'
 * traffic would leave in the clear (TunnelCrack, ServerIP; https://tunnelcrack.mathyvanhoef.com). To any port by UDP,
 * since a gateway names it while the engine already sends to it.
 */
export function engineRules(
  family: Family,
  { gateway }: FilterRules,
  { engine }: FilterSurroundings,
): Rule[] {
  const addresses = gateway ? ofFamily(addressesOf(gateway), family) : [];
  if (!gateway || addresses.length === 0) return [];
  const common = ownConnections(family);
  const toGateway = [...identified(engine), ...remotes(addresses)];
  return [
    {
      ...common,
      name: 'the engine',
      conditions: [...toGateway, protocol(tcp), ...remotePorts([gateway.port])],
    },
    { ...common, name: "the engine's datagrams", conditions: [...toGateway, protocol(udp)] },
  ];
}

/**
 * Lets the uplink keep its own address: DHCP (RFC 2131, RFC 8415), neighbours and routers (RFC 4861); on the link only.
 */
function linkRules(family: Family, { networks }: FilterRules): Rule[] {
  const onLink = ofFamily(networks.onLink, family);
  const rule = (
    name: string,
    conditions: FilterCondition[],
    lifetime: Lifetime,
    ways: readonly Way[] = bothWays,
  ): Rule => ({
    name,
    family,
    ways,
    action: 'permit',
    weight: weights.link,
    conditions,
    lifetime,
  });
  if (family === 4) {
    const dhcp: FilterCondition[] = [protocol(udp), { field: 'local-port', port: 68 }, ...remotePorts([67])];
    return [
      rule('DHCP', [...dhcp, ...remotes(['255.255.255.255'])], 'from-start-on', ['connect']),
      // Answers come from an address that nobody knows yet.
      rule("DHCP's answers", dhcp, 'from-start-on', ['accept']),
      ...(onLink.length > 0
        ? [rule('DHCP on the link', [...dhcp, ...remotes(onLink)], 'now', ['connect'])]
        : []),
    ];
  }
  const neighbours = remotes(['fe80::/10', 'ff02::/16']);
  const further = onLink.filter((prefix) => !prefix.startsWith('fe80:'));
  const types = (way: Way): FilterCondition[] => [
    protocol(icmp6),
    ...neighbourTypes[way].map((type): FilterCondition => ({ field: 'icmp-type', type })),
  ];
  return [
    rule(
      'DHCPv6',
      [
        protocol(udp),
        { field: 'local-port', port: 546 },
        ...remotePorts([547]),
        ...remotes(['ff02::1:2', 'fe80::/10']),
      ],
      'from-start-on',
    ),
    ...bothWays.flatMap((way) => [
      rule('neighbours', [...types(way), ...neighbours], 'from-start-on', [way]),
      ...(further.length > 0
        ? [rule('neighbours on the link', [...types(way), ...remotes(further)], 'now', [way])]
        : []),
    ]),
  ];
}

/** Not from the boot on: the machine may be in another network by then, of which nothing is known. */
function localNetworkRules(family: Family, localNetworks: readonly string[]): Rule[] {
  if (localNetworks.length === 0) return [];
  const inThem = remotes([...ofFamily(localNetworks, family), ...localMulticast[family]]);
  return [
    {
      ...blocked('look-ups in local networks', family, weights.nameServices, [...lookUps(), ...inThem]),
      lifetime: 'now',
    },
    {
      name: 'local networks',
      family,
      ways: bothWays,
      action: 'permit',
      weight: weights.localNetworks,
      conditions: inThem,
      lifetime: 'now',
    },
  ];
}

/** On a local network, too, nobody but the engine gets out by the proxy that leads to the gateway. */
function othersAtProxyRules(family: Family, { gateway }: FilterRules, capture: Capture): Rule[] {
  if (!gateway?.isProxy) return [];
  const addresses = ofFamily(addressesOf(gateway), family).filter((address) => isCaptured(capture, address));
  if (addresses.length === 0) return [];
  const conditions = [protocol(tcp), ...remotePorts([gateway.port]), ...remotes(addresses)];
  return [
    {
      ...blocked('others at the proxy that leads out', family, weights.nameServices, conditions),
      ways: ['connect'],
      lifetime: 'now',
    },
  ];
}

/** What the portal's program, which runs as the engine does, may ask: names, and pages. */
export function portalRules(
  family: Family,
  { resolvers }: PortalRules,
  { engine }: FilterSurroundings,
): Rule[] {
  const asked = ofFamily(
    resolvers.filter((address) => isIP(address) !== 0),
    family,
  );
  const common = ownConnections(family);
  const pages: Rule = {
    ...common,
    name: 'the portal',
    conditions: [...identified(engine), protocol(tcp), ...remotePorts(portalPorts)],
  };
  if (asked.length === 0) return [pages];
  return [
    pages,
    {
      ...common,
      name: "the portal's resolvers",
      conditions: [
        ...identified(engine),
        protocol(tcp),
        protocol(udp),
        ...remotePorts([53]),
        ...remotes(asked),
      ],
    },
  ];
}
