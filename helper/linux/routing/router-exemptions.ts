import { isIPv6 } from 'node:net';
import { localNetworksOf } from '../../modes/local-exceptions.ts';
import type { Capture } from '../../modes/routing-plan.ts';
import { addressesOf, type GatewayEndpoint } from '../../network/gateway-endpoint.ts';
import type { NearbyNetworks } from '../../network/nearby-networks.ts';
import { isOfFamily, type Family } from '../../network/prefix-list.ts';
import type { RoutingRules } from '../../system/ports/router-port.ts';
import {
  multicastRules,
  nameServices,
  networkRules,
  overIcmpv6,
  overTcp,
  overUdp,
  rule,
  sentProtocols,
} from './router-rule.ts';

/**
 * Packets that do not go into the tunnel although they are captured.
 *
 * Strict reverse path filtering (rp_filter=1) looks up a received packet's source with the ports swapped but without a
 * user. With `uidrange` alone, the gateway's answers would be dropped, so there are also rules by the gateway's port
 * (Linux, net/ipv4/fib_frontend.c, __fib_validate_source).
 */
export function exemptionRules(
  family: Family,
  { capture, networks, gateway }: Pick<RoutingRules, 'networks' | 'gateway'> & { capture: ByDestination },
  engineUid: number | undefined,
  table: number,
): string[] {
  const engine = `uidrange ${engineUid}-${engineUid}`;
  const places = gateway ? addressesOf(gateway).filter((address) => isIPv6(address) === (family === 6)) : [];
  const toEach = places.map((address) => `to ${address}/${family === 6 ? 128 : 32}`);
  const local = localNetworksOf(networks, [capture]);
  const services = gateway ? servicesOf(gateway) : [];
  return [
    ...(engineUid === undefined
      ? []
      : [rule('engine', `${engine} lookup main`), rule('withoutUplink', `${engine} unreachable`)]),
    ...toEach.flatMap((to) =>
      services.flatMap((service) => [
        rule('gateway', `${to} ${service} lookup main`),
        rule('withoutUplink', `${to} ${service} unreachable`),
      ]),
    ),
    ...(family === 6 ? [] : leaseRules(networks)),
    ...networkRules(family, 'internalNetworks', networks.internal.prefixes),
    ...(capture.exceptLocalNetworks
      ? [
          ...nameServices.map((service) => rule('names', `${service} lookup ${table}`)),
          ...networkRules(family, 'localNetworks', local),
          ...multicastRules(family, 'localNetworks', local),
        ]
      : []),
    ...toEach.flatMap((to) => answerRules(family, to, table)),
    ...(family === 6 ? neighbourAnswerRules(networks) : []),
  ];
}

/** What a gateway answers to the engine. */
function servicesOf({ port, datagramPort = port }: GatewayEndpoint): string[] {
  const datagramPorts = new Set([port, datagramPort]);
  return [`${overTcp} dport ${port}`, ...[...datagramPorts].map((number) => `${overUdp} dport ${number}`)];
}

/**
 * Of a gateway's host that is neither inside this machine nor in a network that stays reachable.
 *
 * To drop forged packets, packet filters look up a received packet's source without any ports (firewalld's
 * IPv6_rpfilter; `fib saddr`, nft(8); rpfilter, iptables-extensions(8)); for the gateway's answers, that has to lead to
 * the uplink. What this machine sends to the gateway's host either has ports, the last of which no rule can contain
 * (Linux, net/core/fib_rules.c, fib_rule_port_range_valid), or is ICMP.
 */
function answerRules(family: Family, to: string, table: number): string[] {
  return [
    ...sentProtocols[family].map((selector) => rule('gatewayHost', `${to} ${selector} lookup ${table}`)),
    rule('gatewayAnswers', `${to} lookup main`),
  ];
}

/**
 * The same for what IPv6 needs on a link: neighbour advertisements and DHCPv6. The filter refuses everything else to
 * these addresses.
 */
const neighbourAnswerRules = ({ onLink }: NearbyNetworks) => [
  rule('gatewayAnswers', 'to fe80::/10 lookup main'),
  ...onLink
    .filter((prefix) => isOfFamily(6)(prefix) && !prefix.startsWith('fe80:'))
    .map((prefix) => rule('gatewayAnswers', `to ${prefix} ${overIcmpv6} lookup main`)),
];

/**
 * A lease is renewed with the server directly (RFC 2131 §4.4.5), by Debian's dhclient from a socket without a device.
 * In the tunnel that would be lost, and with it the lease where broadcasts are not answered.
 */
const leaseRules = ({ onLink }: NearbyNetworks) =>
  onLink
    .filter(isOfFamily(4))
    .map((prefix) => rule('leases', `to ${prefix} ${overUdp} sport 68 dport 67 lookup main`));

/** What is captured whatever sent it. */
export type ByDestination = Extract<Capture, { kind: 'everything' | 'prefixes' }>;
