import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { constants, layouts } from './darwin.ts';

/** What a `struct sockaddr` says; `link`: of an interface, by its number. */
export type SocketAddress =
  | { kind: 'ip'; address: string }
  | { kind: 'link'; index: number; name: string }
  | { kind: 'other'; family: number };

const { sockaddr, sockaddr_in, sockaddr_in6, sockaddr_dl } = layouts;

/** Where an address begins in the structure of its version, and how many bytes it has. */
const places = {
  4: { size: sockaddr_in.size, at: sockaddr_in.sin_addr, bytes: 4, family: constants.AF_INET },
  6: { size: sockaddr_in6.size, at: sockaddr_in6.sin6_addr, bytes: 16, family: constants.AF_INET6 },
} as const;

/** `struct sockaddr_in` or `struct sockaddr_in6`. */
export function encodeAddress(address: string): Buffer {
  const { size, at, family } = places[isIPv6(address) ? 6 : 4];
  const encoded = Buffer.alloc(size);
  encoded.writeUInt8(size, sockaddr.sa_len);
  encoded.writeUInt8(family, sockaddr.sa_family);
  encoded.set(ipaddr.parse(address).toByteArray(), at);
  return encoded;
}

/** The mask of a prefix, likewise. */
export function encodeMask(version: 4 | 6, length: number): Buffer {
  const { bytes } = places[version];
  const mask = Array.from({ length: bytes }, (_, index) => {
    const ones = Math.min(8, Math.max(0, length - index * 8));
    return 0xff & ~(0xff >> ones);
  });
  return encodeAddress(ipaddr.fromByteArray(mask).toString());
}

/** `struct sockaddr_dl` of an interface, without its name. */
export function encodeLink(index: number): Buffer {
  const encoded = Buffer.alloc(sockaddr_dl.size);
  encoded.writeUInt8(sockaddr_dl.size, sockaddr_dl.sdl_len);
  encoded.writeUInt8(constants.AF_LINK, sockaddr_dl.sdl_family);
  encoded.writeUInt16LE(index, sockaddr_dl.sdl_index);
  return encoded;
}

/** An address that ends early has zeros behind that (XNU leaves out those of masks). */
export function decodeAddress(encoded: Buffer): SocketAddress {
  const family = encoded.length > sockaddr.sa_family ? encoded.readUInt8(sockaddr.sa_family) : 0;
  if (family === constants.AF_INET) return { kind: 'ip', address: readAddress(encoded, 4) };
  if (family === constants.AF_INET6) return { kind: 'ip', address: readAddress(encoded, 6) };
  if (family === constants.AF_LINK && encoded.length >= sockaddr_dl.sdl_data) {
    const nameLength = encoded.readUInt8(sockaddr_dl.sdl_nlen);
    const name = encoded.toString('latin1', sockaddr_dl.sdl_data, sockaddr_dl.sdl_data + nameLength);
    return { kind: 'link', index: encoded.readUInt16LE(sockaddr_dl.sdl_index), name };
  }
  return { kind: 'other', family };
}

/** The length of a prefix by its mask, whose family is not always filled in; undefined for one with gaps. */
export function decodeMask(encoded: Buffer, version: 4 | 6): number | undefined {
  const { at, bytes } = places[version];
  const mask = Buffer.alloc(bytes);
  mask.set(encoded.subarray(at, at + bytes));
  const text = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(text) ? text.lastIndexOf('1') + 1 : undefined;
}

function readAddress(encoded: Buffer, version: 4 | 6): string {
  const { at, bytes } = places[version];
  const address = Buffer.alloc(bytes);
  address.set(encoded.subarray(at, at + bytes));
  // The kernel keeps the interface of a link-local address in its second word (KAME).
  if (version === 6 && address[0] === 0xfe && ((address[1] ?? 0) & 0xc0) === 0x80) address.fill(0, 2, 4);
  return ipaddr.fromByteArray([...address]).toString();
}

/**
 * The addresses in a message of a routing socket, by their places (`RTAX_…`): each has a bit in `present`, and the next
 * one begins at a multiple of four bytes (route(4)). Throws if the message ends within one.
 */
export function splitAddresses(encoded: Buffer, present: number): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  let at = 0;
  for (let place = 0; place < constants.RTAX_MAX; place += 1) {
    if ((present & (1 << place)) === 0) continue;
    if (at >= encoded.length) throw new Error('a message of the routing socket has too few addresses');
    const length = encoded.readUInt8(at);
    if (at + length > encoded.length) throw new Error('an address ends behind its message');
    found.set(place, encoded.subarray(at, at + length));
    at += length === 0 ? 4 : Math.ceil(length / 4) * 4;
  }
  return found;
}
