import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { normalizeIP } from '@fastify/rate-limit';

/** Stands for the Unix socket in the list of trusted proxies, and for its callers if it is not trusted. */
const unixSocketCaller = 'unix';

/**
 * Whether a request's sender (undefined: over the Unix socket) is a proxy that is believed about whom it forwards for.
 */
export type TrustsProxy = (address: string | undefined) => boolean;

/** Stands for callers about whom a proxy says nothing that can be read. */
export const unknownCaller = 'unknown';

/** A name by which a proxy hides an address (RFC 7239 §6.3): who has the same one counts as one caller. */
export const obfuscatedName = /^_[\w.-]{1,64}$/;

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Reads a list of trusted proxies: addresses, networks (`10.0.0.0/8`) and `unix`, separated by commas. Throws an Error
 * that names the first invalid entry.
 */
export function trustedProxies(list: string): TrustsProxy {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const trustsUnixSocket = entries.includes(unixSocketCaller);
  const networks = entries.filter((entry) => entry !== unixSocketCaller).map(parseNetwork);
  return (address) => {
    if (address === undefined) return trustsUnixSocket;
    if (networks.length === 0 || isIP(address) === 0) return false;
    const parsed = ipaddr.process(address);
    return networks.some(
      ([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits),
    );
  };
}

function parseNetwork(entry: string): Network {
  try {
    // What ipaddr.js takes for addresses beside: `1`, `0x7f000001`, `10/8`.
    if (isIP(entry.split('/')[0] ?? '') === 0) throw new Error('no address');
    if (entry.includes('/')) return ipaddr.parseCIDR(entry);
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch (cause) {
    throw new Error(`${entry} is no address, no network and not "${unixSocketCaller}"`, { cause });
  }
}

/**
 * The source of a caller, by which limits count. IPv6 counts by /64, because that is what one customer has (RFC 6177).
 * All callers whose forwarded address is invalid count as one. Addresses of a link are all in the same /64.
 */
export function sourceOf(address: string | undefined): string {
  if (address === undefined) return unixSocketCaller;
  if (obfuscatedName.test(address)) return address;
  if (isIP(address) === 0) return unknownCaller;
  return normalizeIP(address, /^fe[89ab]/i.test(address) ? 128 : 64);
}

/** The IPv6 /48 of a source, which has 65,536 sources; undefined for all other sources. */
export function siteOf(source: string): string | undefined {
  return source.includes(':') ? normalizeIP(source, 48) : undefined;
}
