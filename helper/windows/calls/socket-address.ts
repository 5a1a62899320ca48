import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ipHelperConstants } from './ip-helper-structures.ts';

/** A value of SOCKADDR_INET. */
export interface SocketAddress {
  family: number;
  port: number;
  ipv4: Uint8Array;
  ipv6: Uint8Array;
  scope: number;
}

const { AF_INET, AF_INET6 } = ipHelperConstants;

export const familyNumber = { 4: AF_INET, 6: AF_INET6 } as const;
export const familyOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);

/** Throws if the text is no address. */
export function socketAddress(address: string): SocketAddress {
  const given = Uint8Array.from(ipaddr.parse(address).toByteArray());
  return isIPv6(address)
    ? { family: AF_INET6, port: 0, ipv4: new Uint8Array(4), ipv6: given, scope: 0 }
    : { family: AF_INET, port: 0, ipv4: given, ipv6: new Uint8Array(16), scope: 0 };
}

/** The unspecified address of the family stands for none. */
export const noAddress = (family: 4 | 6) => socketAddress(family === 4 ? '0.0.0.0' : '::');

/** In canonical notation; undefined if it is of another family, or unspecified. */
export function addressOf({ family, ipv4, ipv6 }: SocketAddress): string | undefined {
  const given = addressBytesOf({ family, ipv4, ipv6 });
  if (!given || given.every((byte) => byte === 0)) return undefined;
  return textOf(given);
}

export function addressBytesOf({
  family,
  ipv4,
  ipv6,
}: Pick<SocketAddress, 'family' | 'ipv4' | 'ipv6'>): Uint8Array | undefined {
  if (family === AF_INET) return ipv4;
  return family === AF_INET6 ? ipv6 : undefined;
}

/** RFC 5952's notation. */
export const textOf = (given: Uint8Array): string => ipaddr.fromByteArray([...given]).toString();
