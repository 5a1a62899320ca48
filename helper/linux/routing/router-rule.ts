import { localMulticast } from '../../network/local-traffic.ts';
import { isOfFamily, type Family } from '../../network/prefix-list.ts';
import { routeProtocol, rulePriority } from '../identifiers.ts';

/** A rule in the syntax of ip-rule(8). */
export function rule(priority: keyof typeof rulePriority, selector: string): string {
  return `priority ${rulePriority[priority]} protocol ${routeProtocol} ${selector}`;
}

/**
 * IANA's numbers: ip(8) knows names only where there is an /etc/protocols, which is in Debian's package netbase and not
 * in a minimal system.
 */
const ipProtocol = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 } as const;

export const overTcp = `ipproto ${ipProtocol.tcp}`;
export const overUdp = `ipproto ${ipProtocol.udp}`;
export const overIcmpv6 = `ipproto ${ipProtocol.icmpv6}`;

/** The protocols for look-ups: plain DNS, and DNS over TLS and QUIC (RFC 7858, RFC 9250). */
export const nameServices = [overTcp, overUdp].flatMap((transport) =>
  [53, 853].map((port) => `${transport} dport ${port}`),
);

/** What programs send, as selectors that no look-up without ports or protocol matches. */
export const sentProtocols = {
  4: [`${overTcp} dport 1-65534`, `${overUdp} dport 1-65534`, `ipproto ${ipProtocol.icmp}`],
  6: [`${overTcp} dport 1-65534`, `${overUdp} dport 1-65534`, overIcmpv6],
} as const;

/** Uses the main table for these networks only, and only by a route that is as specific: others may be wider. */
export function networkRules(
  family: Family,
  kind: keyof typeof rulePriority,
  prefixes: readonly string[],
  selector = '',
): string[] {
  return prefixes.filter(isOfFamily(family)).map((prefix) => {
    const length = Number(prefix.split('/')[1]);
    return rule(kind, `${selector} to ${prefix} lookup main suppress_prefixlength ${length - 1}`.trim());
  });
}

/**
 * What is for all of an attached network, of programs that name no device for it: as without a tunnel, it leaves by the
 * way to the internet. IPv6 has a table of its own for that, which is looked up before.
 */
export const multicastRules = (
  family: Family,
  kind: keyof typeof rulePriority,
  local: readonly string[],
  selector = '',
): string[] =>
  family === 6 || local.length === 0
    ? []
    : localMulticast[4].map((prefix) => rule(kind, `${selector} to ${prefix} lookup main`.trim()));
