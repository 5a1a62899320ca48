import { isOfFamily, type Family } from '../../network/prefix-list.ts';
import { routeProtocol, rulePriority } from '../identifiers.ts';

/** A rule in the syntax of ip-rule(8). */
export function rule(priority: keyof typeof rulePriority, selector: string): string {
  return `priority ${rulePriority[priority]} protocol ${routeProtocol} ${selector}`;
}

/** The protocols for look-ups: plain DNS, and DNS over TLS and QUIC (RFC 7858, RFC 9250). */
export const nameServices = ['tcp', 'udp'].flatMap((protocol) =>
  [53, 853].map((port) => `ipproto ${protocol} dport ${port}`),
);

/** What programs send, as selectors that no look-up without ports or protocol matches. */
export const sentProtocols = {
  4: ['tcp dport 1-65534', 'udp dport 1-65534', 'icmp'],
  6: ['tcp dport 1-65534', 'udp dport 1-65534', 'ipv6-icmp'],
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
