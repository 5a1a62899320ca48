import { isIPv6 } from 'node:net';
import { routeProtocol, routingTable, rulePriority, tunnelDevice } from './identifiers.ts';

export interface PolicyRouting {
  engineUid: number;
  gateway: { address: string; port: number };
  localNetwork: boolean;
}

export type Family = 4 | 6;

const allOf = { 4: '0.0.0.0/0', 6: '::/0' } as const;

/** The last word of our table while the tunnel has no route there: fail at once instead of going elsewhere. */
const lastResortMetric = 4294967295;

/**
 * Lines for `ip -4|-6 -batch -` that send everything to our table, where only a refusal is yet.
 *
 * Strict reverse path filtering (rp_filter=1) looks a received packet's source up with the packet's ports
 * swapped but without any user, so `uidrange` alone would have the gateway's answers dropped: hence the rules
 * by the gateway's port (Linux, net/ipv4/fib_frontend.c, __fib_validate_source).
 */
export function holdBatch(family: Family, routing: PolicyRouting): string {
  const { engineUid, gateway, localNetwork } = routing;
  const to = `to ${gateway.address}/${isIPv6(gateway.address) ? 128 : 32}`;
  const engine = `uidrange ${engineUid}-${engineUid}`;
  const reachesGateway = isIPv6(gateway.address) === (family === 6);
  return lines([
    `route replace unreachable ${allOf[family]} table ${routingTable} metric ${lastResortMetric} protocol ${routeProtocol}`,
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
  ]);
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

function rule(priority: keyof typeof rulePriority, selector: string): string {
  return `rule add priority ${rulePriority[priority]} protocol ${routeProtocol} ${selector}`;
}

function lines(all: string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
