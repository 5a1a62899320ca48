import { isIPv4 } from 'node:net';
import { localNetworksOf } from '../../modes/local-exceptions.ts';
import type { Capture } from '../../modes/routing-plan.ts';
import type { NearbyNetworks } from '../../network/nearby-networks.ts';
import type { RoutingRules } from '../../system/ports/router-port.ts';
import type { Accounts } from '../callers/accounts.ts';
import { routeProtocol, routingTable, tunnelDevice, type rulePriority } from '../identifiers.ts';
import { groupMark } from '../groups/group-mark.ts';
import { portalPorts } from '../../system/ports/portal-port.ts';
import { isOfFamily, type Family } from '../../network/prefix-list.ts';
import { exemptionRules } from './router-exemptions.ts';
import {
  multicastRules,
  nameServices,
  networkRules,
  overTcp,
  overUdp,
  rule,
  sentProtocols,
} from './router-rule.ts';

const allOf = { 4: '0.0.0.0/0', 6: '::/0' } as const;

/** The last route of our table, for while the tunnel has no route there: fail at once instead of going elsewhere. */
const lastResortMetric = 4294967295;

/** A line that refuses what our table gets while the tunnel has no route there. */
export const lastResortLine = (family: Family) =>
  `route replace unreachable ${allOf[family]} table ${routingTable} metric ${lastResortMetric} protocol ${routeProtocol}\n`;

/** Lines of ip(8) that add and remove rules. */
export const addLines = (rules: readonly string[]) => lines(rules.map((words) => `rule add ${words}`));
export const removeLines = (rules: readonly string[]) => lines(rules.map((words) => `rule del ${words}`));

/** For machines on which the kernel's own rule for it comes later (netlink-state.ts, isLocalFirst). */
export const localRule = rule('local', 'lookup local');

/** Refuses everything that would leave the machine; what stays on it is found earlier, in the local table. */
export const refuseAllRule = rule('refuseAll', 'unreachable');

/**
 * The rules of one IP version, in the syntax of ip-rule(8); `prefixTable`: the table to use if packets are captured by
 * destination.
 */
export function rulesOf(
  family: Family,
  rules: RoutingRules,
  accounts: Accounts['known'],
  prefixTable: number,
): string[] {
  const { capture, tunnelAddresses } = rules;
  switch (capture.kind) {
    case 'everything':
      return [
        ...(capture.exceptGroup ? groupPastTunnelRules(family, rules) : []),
        ...exemptionRules(family, { ...rules, capture }, accounts.engine?.uid, routingTable),
        ...(capture.exceptGroup
          ? pastGroupAnswersRules(family, rules)
          : askedRules(family, rules, routingTable)),
        rule('tunnel', `lookup ${routingTable}`),
      ];
    case 'group':
      return [...groupRules(family, { ...rules, capture }), ...tunnelAddressRules(family, tunnelAddresses)];
    case 'proxy':
      return proxyRules(family, tunnelAddresses, accounts.proxy?.uid);
    case 'prefixes':
      return [
        ...resolverRules(family, rules.resolvers),
        ...exemptionRules(family, { ...rules, capture }, accounts.engine?.uid, prefixTable),
        ...askedRules(family, rules, prefixTable),
        ...tunnelAddressRules(family, tunnelAddresses),
        rule('prefixes', `lookup ${prefixTable}`),
      ];
    default:
      return capture satisfies never;
  }
}

const resolverRules = (family: Family, resolvers: readonly string[]) =>
  resolvers
    .filter(isOfFamily(family))
    .flatMap((resolver) =>
      nameServices.map((service) => rule('resolvers', `to ${resolver} ${service} lookup ${routingTable}`)),
    );

/** The group's packets into the tunnel, recognised by the mark that their sockets have from creation. */
function groupRules(
  family: Family,
  { capture, networks, owner }: RoutingRules & { capture: Extract<Capture, { kind: 'group' }> },
): string[] {
  const mark = groupMark(owner);
  if (mark === undefined) return [];
  const marked = `fwmark ${mark}`;
  const local = localNetworksOf(networks, [capture]);
  return [
    ...networkRules(family, 'groupInternalNetworks', networks.internal.prefixes, marked),
    ...(capture.exceptLocalNetworks
      ? [
          ...nameServices.map((service) => rule('groupNames', `${marked} ${service} lookup ${routingTable}`)),
          ...networkRules(family, 'groupLocalNetworks', local, marked),
          ...multicastRules(family, 'groupLocalNetworks', local, marked),
        ]
      : []),
    rule('group', `${marked} lookup ${routingTable}`),
  ];
}

/**
 * Routes the group's packets as without a tunnel. Strict reverse path filtering ignores marks; it finds the way of
 * answers by the address that they come to.
 */
function groupPastTunnelRules(family: Family, { networks, owner }: RoutingRules): string[] {
  const mark = groupMark(owner);
  if (mark === undefined) return [];
  return [
    rule('group', `fwmark ${mark} lookup main`),
    rule('groupWithoutUplink', `fwmark ${mark} unreachable`),
    ...(family === 4 ? answersTo('groupAnswers', family, networks) : []),
  ];
}

const answersTo = (kind: keyof typeof rulePriority, family: Family, { onLink }: NearbyNetworks) =>
  onLink.filter(isOfFamily(family)).map((prefix) => rule(kind, `from ${prefix} lookup main`));

/**
 * For IPv6, only packet filters look up the way back, without any ports (see router-exemptions.ts, answerRules). Sent
 * packets have ports and do not match: if the first look-up finds nothing, as with a tunnel without IPv6, the kernel
 * does another one with the uplink's address as the source (Linux, net/ipv6/ip6_output.c, ip6_dst_lookup_tail).
 */
const pastGroupAnswersRules = (family: Family, { networks }: RoutingRules) =>
  family === 6
    ? [
        ...sentProtocols[6].map((sent) => rule('sent', `${sent} lookup ${routingTable}`)),
        ...answersTo('answers', 6, networks),
      ]
    : [];

/**
 * Before the kernel answers a neighbour who asks for the machine's hardware address, it looks up the way back to
 * whoever asks, without any protocol, and does not answer if reverse path filtering refuses that way (Linux,
 * net/ipv4/arp.c, arp_process): a router that has forgotten it could send nothing to this machine. What is sent from
 * these addresses has a protocol, or is refused by the filter on either way. Forwarded packets, which come in through a
 * device, are excluded.
 */
function askedRules(family: Family, { networks }: RoutingRules, table: number): string[] {
  const own = networks.onLink.filter(isOfFamily(4));
  if (family === 6 || own.length === 0) return [];
  return [
    ...sentProtocols[4].map((sent) => rule('sent', `iif lo ${sent} lookup ${table}`)),
    ...own.map((prefix) => rule('answers', `iif lo from ${prefix} lookup main`)),
  ];
}

/**
 * Packets from the tunnel's address go into the tunnel, because strict reverse path filtering ignores users here, too,
 * and so that connections from before, when everything went through the tunnel, continue.
 */
function proxyRules(
  family: Family,
  tunnelAddresses: readonly string[],
  proxyUid: number | undefined,
): string[] {
  return [
    ...(proxyUid === undefined
      ? []
      : [rule('proxy', `uidrange ${proxyUid}-${proxyUid} lookup ${routingTable}`)]),
    ...tunnelAddressRules(family, tunnelAddresses),
  ];
}

const tunnelAddressRules = (family: Family, tunnelAddresses: readonly string[]) =>
  tunnelAddresses
    .filter(isOfFamily(family))
    .map((own) => rule('tunnelAddress', `from ${own} lookup ${routingTable}`));

/**
 * Lets answers reach a captive portal's proxy. Strict reverse path filtering ignores users, so these rules route
 * everybody's packets of this kind to the uplink, where the packet filter refuses all but the proxy's. Forwarded
 * packets, which come in through a device, are excluded.
 */
export const portalRules = (resolvers: readonly string[]) => [
  ...portalPorts.map((port) => rule('portal', `iif lo ${overTcp} dport ${port} lookup main`)),
  ...[...new Set(resolvers)]
    .filter((resolver) => isIPv4(resolver))
    .flatMap((resolver) =>
      [overTcp, overUdp].map((transport) =>
        rule('portal', `iif lo to ${resolver} ${transport} dport 53 lookup main`),
      ),
    ),
];

/**
 * A line that sends what our table gets into the tunnel. It has the scope of routes with a router, because the kernel
 * ignores routes of that scope when it looks up the device of a new route's router (Linux, net/ipv4/fib_semantics.c,
 * fib_check_nh_v4_gw). So `ip route add default via ADDRESS` finds its router on the uplink, as without a tunnel.
 */
export const tunnelRoute = (family: Family) =>
  `route replace ${allOf[family]} dev ${tunnelDevice}${family === 4 ? ' scope global' : ''} table ${routingTable} protocol ${routeProtocol}`;

/** A line that removes the tunnel's route, if the tunnel lost its addresses of that family. */
export const removeTunnelRoute = (family: Family) =>
  `route del ${allOf[family]} dev ${tunnelDevice} table ${routingTable} protocol ${routeProtocol}`;

function lines(all: string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
