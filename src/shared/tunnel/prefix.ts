/** Prefixes in canonical notation (RFC 4632 §3.1, RFC 5952), with all bits after the prefix zero. */

import { parseUrl } from '../parse-url.ts';

export interface Prefix {
  family: 4 | 6;
  /** The first address of the prefix. */
  first: bigint;
  length: number;
}

const bits = { 4: 32, 6: 128 } as const;

/** Parses a prefix or a single address, and clears the bits after the prefix; undefined if the text is neither. */
export function parsePrefix(text: string): Prefix | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  const family = address.includes(':') ? 6 : 4;
  const value = family === 4 ? parseIpv4(address) : parseIpv6(address);
  if (value === undefined) return undefined;
  const rest = slash < 0 ? String(bits[family]) : text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(rest) || Number(rest) > bits[family]) return undefined;
  const length = Number(rest);
  const behind = BigInt(bits[family] - length);
  return { family, first: (value >> behind) << behind, length };
}

/** The canonical notation of a prefix or an address, always with its length; undefined if the text is neither. */
export function canonicalPrefix(text: string): string | undefined {
  const prefix = parsePrefix(text.trim());
  return prefix && formatPrefix(prefix);
}

export function formatPrefix({ family, first, length }: Prefix): string {
  return `${family === 4 ? formatIpv4(Number(first)) : formatIpv6(first)}/${length}`;
}

/**
 * Whether a text is in canonical notation and not a default route. This is fast, because lists have a hundred thousand
 * entries, nearly all of them IPv4.
 */
export function isCanonicalPrefix(text: string): boolean {
  const prefix = text.includes('/') ? parseIpv4Prefix(text) : undefined;
  if (!prefix) return canonicalPrefix(text) === text && !text.endsWith('/0');
  const size = 2 ** (32 - prefix.length);
  return prefix.length > 0 && prefix.address % size === 0;
}

/** The widest networks that can be named as local; anything wider would be a default route in pieces. */
const widestLocal = { 4: 8, 6: 32 } as const;

/** Whether a text is a prefix that a user can name as a local network. */
export function isLocalPrefix(text: string): boolean {
  const prefix = isCanonicalPrefix(text) ? parsePrefix(text) : undefined;
  return prefix !== undefined && prefix.length >= widestLocal[prefix.family];
}

/** Whether the outer prefix contains all addresses of the inner one; both may have bits after the prefix. */
export function isInsidePrefix(inner: string, outer: string): boolean {
  const [one, other] = [parsePrefix(inner), parsePrefix(outer)];
  if (!one || !other || one.family !== other.family || one.length < other.length) return false;
  const behind = BigInt(bits[one.family] - other.length);
  return one.first >> behind === other.first >> behind;
}

const ipv4Pattern =
  /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})(?:\/(0|[1-9]\d?))?$/;

/** Parses an IPv4 prefix into numbers. The length is 32 if the text has none. Bits after the prefix are kept. */
export function parseIpv4Prefix(text: string): { address: number; length: number } | undefined {
  const match = ipv4Pattern.exec(text);
  if (!match) return undefined;
  let address = 0;
  for (let part = 1; part <= 4; part += 1) {
    const byte = Number(match[part]);
    if (byte > 255) return undefined;
    address = address * 256 + byte;
  }
  const length = match[5] === undefined ? 32 : Number(match[5]);
  return length > 32 ? undefined : { address, length };
}

function parseIpv4(text: string): bigint | undefined {
  const parsed = text.includes('/') ? undefined : parseIpv4Prefix(text);
  return parsed && BigInt(parsed.address);
}

const formatIpv4 = (value: number): string =>
  [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');

/**
 * An IPv6 address as URLs write it, which is RFC 5952's way (URL Standard, "IPv6 serializer"). Not by ipaddr.js: the
 * login page carries this file, and would grow by 4 kB.
 */
const ofUrl = (address: string): string | undefined => parseUrl(`http://[${address}]`)?.hostname.slice(1, -1);

/** Only groups: neither an IPv4 address at the end nor a zone belongs in a list. */
function parseIpv6(text: string): bigint | undefined {
  const address = /^[0-9A-Fa-f:]+$/.test(text) ? ofUrl(text) : undefined;
  if (address === undefined) return undefined;
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function formatIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn);
  const written = groups.map((group) => group.toString(16)).join(':');
  return ofUrl(written) ?? written;
}
