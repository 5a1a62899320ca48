import { isIPv6 } from 'node:net';
import type { Capture } from '../modes/routing-plan.ts';
import type { RoutingRules } from '../system/ports.ts';
import type { Accounts } from './accounts.ts';
import { prefixTable, routeProtocol, routingTable, rulePriority, tunnelDevice } from './identifiers.ts';

export type Family = 4 | 6;

const allOf = { 4: '0.0.0.0/0', 6: '::/0' } as const;

/** The last word of our table while the tunnel has no route there: fail at once instead of going elsewhere. */
const lastResortMetric = 4294967295;

/** Line that refuses what our table gets while the tunnel has no route there. */
export const lastResortLine = (family: Family) =>
  `route replace unreachable ${allOf[family]} table ${routingTable} metric ${lastResortMetric} protocol ${routeProtocol}\n`;

/** Lines of ip(8) that add and remove rules. */
export const addLines = (rules: readonly string[]) => lines(rules.map((words) => `rule add ${words}`));
export const removeLines = (rules: readonly string[]) => lines(rules.map((words) => `rule del ${words}`));

/** Likewise for routes; one that is there already stays. */
export const addRouteLines = (routes: readonly string[]) =>
  lines(routes.map((words) => `route replace ${words}`));
export const removeRouteLines = (routes: readonly string[]) =>
  lines(routes.map((words) => `route del ${words}`));

/** The rule that refuses all that would leave the machine; what stays on it is found before, in the local table. */
export const refuseAllRule = rule('refuseAll', 'unreachable');

/** The rules of one IP version, in the words of ip-rule(8). */
export function rulesOf(
  family: Family,
  { capture, networks, gateway, tunnelAddresses }: RoutingRules,
  accounts: Accounts['known'],
): string[] {
  switch (capture.kind) {
    case 'everything':
      return everythingRules(family, { capture, networks, gateway }, accounts.engine?.uid);
    case 'proxy':
      return proxyRules(family, tunnelAddresses, accounts.proxy?.uid);
    case 'prefixes':
      return [...tunnelAddressRules(family, tunnelAddresses), rule('prefixes', `lookup ${prefixTable}`)];
    default:
      return capture satisfies never;
  }
}

/**
 * Strict reverse path filtering (rp_filter=1) looks a received packet's source up with the packet's ports
 * swapped but without any user, so `uidrange` alone would have the gateway's answers dropped: hence the rules
 * by the gateway's port (Linux, net/ipv4/fib_frontend.c, __fib_validate_source).
 */
function everythingRules(
  family: Family,
  { capture, networks, gateway }: Pick<RoutingRules, 'networks' | 'gateway'> & { capture: Everything },
  engineUid: number | undefined,
): string[] {
  const engine = `uidrange ${engineUid}-${engineUid}`;
  const reachesGateway = gateway && isIPv6(gateway.address) === (family === 6);
  const to = gateway && `to ${gateway.address}/${family === 6 ? 128 : 32}`;
  return [
    ...(engineUid === undefined
      ? []
      : [rule('engine', `${engine} lookup main`), rule('withoutUplink', `${engine} unreachable`)]),
    ...(reachesGateway
      ? ['tcp', 'udp'].flatMap((protocol) => [
          rule('gateway', `${to} ipproto ${protocol} dport ${gateway.port} lookup main`),
          rule('withoutUplink', `${to} ipproto ${protocol} dport ${gateway.port} unreachable`),
        ])
      : []),
    ...networkRules(family, 'internalNetworks', networks.internal.prefixes),
    ...(capture.exceptLocalNetworks
      ? [
          ...['tcp', 'udp'].flatMap((protocol) =>
            [53, 853].map((port) =>
              rule('names', `ipproto ${protocol} dport ${port} lookup ${routingTable}`),
            ),
          ),
          ...networkRules(family, 'localNetworks', networks.local),
        ]
      : []),
    rule('tunnel', `lookup ${routingTable}`),
  ];
}

type Everything = Extract<Capture, { kind: 'everything' }>;

/** By the main table to those networks only, and only by a route that is as specific: others may have wider ones. */
function networkRules(
  family: Family,
  kind: 'internalNetworks' | 'localNetworks',
  prefixes: readonly string[],
): string[] {
  return prefixes
    .filter((prefix) => prefix.includes(':') === (family === 6))
    .map((prefix) => {
      const length = Number(prefix.split('/')[1]);
      return rule(kind, `to ${prefix} lookup main suppress_prefixlength ${length - 1}`);
    });
}

/**
 * What comes from the tunnel's address goes into the tunnel because strict reverse path filtering asks without a
 * user here too, and so that connections go on that were made while everything went through the tunnel.
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
    .filter((own) => isIPv6(own) === (family === 6))
    .map((own) => rule('tunnelAddress', `from ${own} lookup ${routingTable}`));

/**
 * The routes, in the words of ip-route(8), that refuse captured prefixes while the tunnel has none there, and let what
 * is excluded from them be looked up elsewhere.
 */
export function prefixRoutesOf(family: Family, { capture }: RoutingRules): string[] {
  if (capture.kind !== 'prefixes') return [];
  const own = `table ${prefixTable} protocol ${routeProtocol}`;
  return [
    ...capture.exclude.filter(isOfFamily(family)).map((prefix) => `throw ${prefix} ${own}`),
    ...capture.include
      .filter(isOfFamily(family))
      .map((prefix) => `unreachable ${prefix} ${own} metric ${lastResortMetric}`),
  ];
}

const isOfFamily = (family: Family) => (prefix: string) => prefix.includes(':') === (family === 6);

/** The route that sends packets to a prefix into the tunnel, in the words of ip-route(8). */
export const prefixRoute = (prefix: string) =>
  `${prefix} dev ${tunnelDevice} table ${prefixTable} protocol ${routeProtocol}`;

/**
 * Line that sends what our table gets into the tunnel. With the scope of routes that have a router: the kernel, which
 * looks up on which device a new route's router is, takes none of that scope (Linux, net/ipv4/fib_semantics.c,
 * fib_check_nh_v4_gw), and `ip route add default via ADDRESS` finds its router on the uplink as without a tunnel.
 */
export const tunnelRoute = (family: Family) =>
  `route replace ${allOf[family]} dev ${tunnelDevice}${family === 4 ? ' scope global' : ''} table ${routingTable} protocol ${routeProtocol}`;

/** Line that takes the tunnel's route back, if the tunnel lost its addresses of that family. */
export const removeTunnelRoute = (family: Family) =>
  `route del ${allOf[family]} dev ${tunnelDevice} table ${routingTable} protocol ${routeProtocol}`;

/** A rule in the words of ip-rule(8). */
function rule(priority: keyof typeof rulePriority, selector: string): string {
  return `priority ${rulePriority[priority]} protocol ${routeProtocol} ${selector}`;
}

function lines(all: string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
