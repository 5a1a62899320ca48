import { isIPv6 } from 'node:net';
import { routeProtocol, routingTable, rulePriority, tunnelDevice } from './identifiers.ts';

/** All traffic through the tunnel. */
export interface GlobalRouting {
  mode: 'global';
  engineUid: number;
  gateway: { address: string; port: number };
  localNetwork: boolean;
}

/** What a proxy sends through the tunnel, and nothing else. */
export interface ProxyRouting {
  mode: 'pac';
  proxyUid: number;
  /** The tunnel's own, if it has any yet. */
  tunnelAddresses: readonly string[];
}

export type PolicyRouting = GlobalRouting | ProxyRouting;

export type Family = 4 | 6;

const allOf = { 4: '0.0.0.0/0', 6: '::/0' } as const;

/** The last word of our table while the tunnel has no route there: fail at once instead of going elsewhere. */
const lastResortMetric = 4294967295;

/** Lines for `ip -4|-6 -batch -` that send what `routing` says to our table, where only a refusal is yet. */
export function routingBatch(family: Family, routing: PolicyRouting): string {
  return lines([
    `route replace unreachable ${allOf[family]} table ${routingTable} metric ${lastResortMetric} protocol ${routeProtocol}`,
    ...rulesOf(family, routing).map(add),
  ]);
}

/**
 * Lines for `ip -4|-6 -batch -` that route in another way from now on, the first to be run before the second: a
 * packet that belongs into the tunnel by both ways always finds a rule.
 */
export function routingChange(
  family: Family,
  before: PolicyRouting,
  after: PolicyRouting,
): { added: string; removed: string } {
  const [old, fresh] = [rulesOf(family, before), rulesOf(family, after)];
  return {
    added: lines(fresh.filter((selector) => !old.includes(selector)).map(add)),
    removed: lines(old.filter((selector) => !fresh.includes(selector)).map(remove)),
  };
}

const rulesOf = (family: Family, routing: PolicyRouting) =>
  routing.mode === 'global' ? globalRules(family, routing) : proxyRules(family, routing);

/**
 * Strict reverse path filtering (rp_filter=1) looks a received packet's source up with the packet's ports
 * swapped but without any user, so `uidrange` alone would have the gateway's answers dropped: hence the rules
 * by the gateway's port (Linux, net/ipv4/fib_frontend.c, __fib_validate_source).
 */
function globalRules(family: Family, { engineUid, gateway, localNetwork }: GlobalRouting): string[] {
  const to = `to ${gateway.address}/${isIPv6(gateway.address) ? 128 : 32}`;
  const engine = `uidrange ${engineUid}-${engineUid}`;
  const reachesGateway = isIPv6(gateway.address) === (family === 6);
  return [
    rule('engine', `${engine} lookup main`),
    rule('withoutUplink', `${engine} unreachable`),
    ...(reachesGateway
      ? ['tcp', 'udp'].flatMap((protocol) => [
          rule('gateway', `${to} ipproto ${protocol} dport ${gateway.port} lookup main`),
          rule('withoutUplink', `${to} ipproto ${protocol} dport ${gateway.port} unreachable`),
        ])
      : []),
    ...(localNetwork
      ? [
          ...['tcp', 'udp'].flatMap((protocol) =>
            [53, 853].map((port) =>
              rule('names', `ipproto ${protocol} dport ${port} lookup ${routingTable}`),
            ),
          ),
          rule('localNetworks', 'lookup main suppress_prefixlength 0'),
        ]
      : []),
    rule('tunnel', `lookup ${routingTable}`),
  ];
}

/**
 * What comes from the tunnel's address goes into the tunnel because strict reverse path filtering asks without a
 * user here too, and so that connections go on that were made while everything went through the tunnel.
 */
function proxyRules(family: Family, { proxyUid, tunnelAddresses }: ProxyRouting): string[] {
  return [
    rule('proxy', `uidrange ${proxyUid}-${proxyUid} lookup ${routingTable}`),
    ...tunnelAddresses
      .filter((own) => isIPv6(own) === (family === 6))
      .map((own) => rule('tunnelAddress', `from ${own} lookup ${routingTable}`)),
  ];
}

/** Line that sends what our table gets into the tunnel. */
export const tunnelRoute = (family: Family) =>
  `route replace ${allOf[family]} dev ${tunnelDevice} table ${routingTable} protocol ${routeProtocol}`;

/** Line that takes the tunnel's route back, if the tunnel lost its addresses of that family. */
export const removeTunnelRoute = (family: Family) =>
  `route del ${allOf[family]} dev ${tunnelDevice} table ${routingTable} protocol ${routeProtocol}`;

/**
 * Lines for `ip -4|-6 -force -batch -` that remove our rules and routes, as many of them as there are. iproute2
 * does not flush IPv6 routes that have no device, so that one is named.
 */
export const removeBatch = (family: Family) =>
  lines([
    `rule flush protocol ${routeProtocol}`,
    `route del unreachable ${allOf[family]} table ${routingTable} metric ${lastResortMetric} protocol ${routeProtocol}`,
    `route flush table ${routingTable} protocol ${routeProtocol}`,
  ]);

/** A rule in the words of ip-rule(8). */
function rule(priority: keyof typeof rulePriority, selector: string): string {
  return `priority ${rulePriority[priority]} protocol ${routeProtocol} ${selector}`;
}

const add = (words: string) => `rule add ${words}`;
const remove = (words: string) => `rule del ${words}`;

function lines(all: string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
