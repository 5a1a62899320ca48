import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { blockListOf } from '#node/network/block-list.ts';
import { canonicalName } from '#shared/tunnel/domain-name.ts';

export type Family = 'ipv4' | 'ipv6';

/** Where a client wants to connect. */
export interface Destination {
  host: { kind: 'address'; address: string } | { kind: 'name'; name: string };
  port: number;
}

/** A host as a client wrote it: an address (IPv6 without brackets) or a name; undefined if it is neither. */
export function readHost(text: string): Destination['host'] | undefined {
  // A zone (`fe80::1%eth0`, RFC 4007 §11) is only meaningful on a link, not through a tunnel.
  if (isIP(text) && !text.includes('%')) return { kind: 'address', address: text };
  const name = canonicalName(text);
  return name === undefined ? undefined : { kind: 'name', name };
}

/**
 * The `host[:port]` of a request's target (RFC 9112 §3.2), `[…]` around IPv6; undefined if it is malformed, or has no
 * port and there is no default.
 */
export function readAuthority(text: string, defaultPort?: number): Destination | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed === undefined ? readHost(plain ?? '') : readBracketed(bracketed);
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

function readBracketed(text: string): Destination['host'] | undefined {
  const host = readHost(text);
  return host?.kind === 'address' && !isIPv4(host.address) ? host : undefined;
}

export const familyOf = (address: string): Family => (isIPv4(address) ? 'ipv4' : 'ipv6');

/**
 * Addresses that lead to this machine or stay on its links (RFC 6890), and so are not remote. A BlockList also applies
 * the IPv4 ones to IPv4-mapped IPv6 addresses.
 */
const never = blockListOf([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255/32',
  // Unspecified, loopback, and the old IPv4-compatible addresses (RFC 4291 §2.5.5.1).
  '::/96',
  'fe80::/10',
  'ff00::/8',
]);

/** This machine's addresses at present; to ask for them takes some 70 µs. */
export function ownAddresses(): BlockList {
  const own = new BlockList();
  for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    own.addAddress(address, familyOf(address));
  return own;
}

/** Whether the proxy refuses to connect there: it must not lead into this machine, by any of its addresses. */
export function isForbiddenAddress(address: string, own = ownAddresses()): boolean {
  return never.check(address, familyOf(address)) || own.check(address, familyOf(address));
}

/** RFC 6761 §6.3: such names mean this machine, whatever a resolver says. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
