import ipaddr from 'ipaddr.js';
import { reachOf } from './address-reach.ts';

/**
 * Addresses of IPv4 as the translator of a network without IPv4 (NAT64) has them: within one of its prefixes (RFC 6052
 * §2.2).
 */
export interface Nat64Prefix {
  /** The address of IPv6 at which the translator reaches that of IPv4. */
  translate(ipv4: string): string;
  /** The address of IPv4 that the translator reaches at that of IPv6, or undefined if that is no translator's. */
  original(ipv6: string): string | undefined;
}

/** Its addresses are known to everybody, so that what a network says of it gives the prefixes away (RFC 7050 §3). */
export const wellKnownName = 'ipv4only.arpa.';
const wellKnownAddresses = [
  [192, 0, 0, 170],
  [192, 0, 0, 171],
];

/** In bits, of the prefixes (RFC 6052 §2.2). */
const lengths = [32, 40, 48, 56, 64, 96];
/** More than a network has: each is one more address to try. */
const maxPrefixes = 2;
/** The bits 64 to 71 are zero with every prefix (RFC 6052 §2.2). */
const reservedOctet = 8;

/** The translators' prefixes of a network in which the well-known name has these addresses. */
export function nat64Prefixes(answer: readonly string[]): Nat64Prefix[] {
  const found = new Map<string, Nat64Prefix>();
  for (const address of answer) {
    const octets = octetsOf(address);
    if (octets?.length !== 16 || isNear(address)) continue;
    const fitting = lengths.filter((length) =>
      wellKnownAddresses.some((known) => isAt(octets, length, known)),
    );
    const [length] = fitting;
    // At several places, nobody knows which one is meant (RFC 7050 §3).
    if (length === undefined || fitting.length > 1) continue;
    const start = octets.slice(0, length / 8);
    found.set(start.join(), prefixOf(start));
  }
  return [...found.values()].slice(0, maxPrefixes);
}

/** Nobody's translator is on this computer, or on one link; a resolver may also have IPv4 written as IPv6. */
const isNear = (address: string) => reachOf(address) === 0 || ipaddr.parse(address).range() === 'ipv4Mapped';

function prefixOf(start: readonly number[]): Nat64Prefix {
  const length = start.length * 8;
  return {
    translate(ipv4) {
      const octets = Array.from({ length: 16 }, (_, index) => start[index] ?? 0);
      const embedded = octetsOf(ipv4) ?? [];
      for (const [index, place] of placesOf(length).entries()) octets[place] = embedded[index] ?? 0;
      return ipaddr.fromByteArray(octets).toString();
    },
    original(ipv6) {
      const octets = octetsOf(ipv6);
      if (octets?.length !== 16) return undefined;
      const ipv4 = ipaddr.fromByteArray(placesOf(length).map((place) => octets[place] ?? 0)).toString();
      return this.translate(ipv4) === ipaddr.parse(ipv6).toString() ? ipv4 : undefined;
    },
  };
}

/** Where a prefix of this length has the address of IPv4. */
function placesOf(length: number): number[] {
  const after = Array.from({ length: 5 }, (_, index) => length / 8 + index);
  return after.filter((place) => place !== reservedOctet).slice(0, 4);
}

function isAt(octets: readonly number[], length: number, ipv4: readonly number[]): boolean {
  const isReserved = length > 64 || octets[reservedOctet] === 0;
  return isReserved && placesOf(length).every((place, index) => octets[place] === ipv4[index]);
}

const octetsOf = (address: string): number[] | undefined =>
  ipaddr.isValid(address) ? ipaddr.parse(address).toByteArray() : undefined;
