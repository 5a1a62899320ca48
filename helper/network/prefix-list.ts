import { createHash } from 'node:crypto';
import { parseIpv4Prefix, parsePrefix } from '#shared/tunnel/prefix.ts';

export type Family = 4 | 6;

export const isOfFamily = (family: Family) => (prefix: string) => prefix.includes(':') === (family === 6);

/** The size of an address in bytes. */
export const addressBytes = { 4: 4, 6: 16 } as const;

/** The prefixes of one IP version in a list: all first addresses in a row, and the lengths. */
export interface PackedPrefixes {
  addresses: Buffer;
  lengths: Uint8Array;
}

/** Cached, because lists are read more than once and never change. */
const packedLists = { 4: new WeakMap<object, PackedPrefixes>(), 6: new WeakMap<object, PackedPrefixes>() };

export function packPrefixes(prefixes: readonly string[], family: Family): PackedPrefixes {
  const known = packedLists[family].get(prefixes);
  if (known) return known;
  const own = prefixes.every(isOfFamily(family)) ? prefixes : prefixes.filter(isOfFamily(family));
  const size = addressBytes[family];
  const addresses = Buffer.alloc(own.length * size);
  const lengths = new Uint8Array(own.length);
  for (const [index, prefix] of own.entries()) {
    if (family === 4) {
      const { address, length } = parseIpv4Prefix(prefix) ?? raise(prefix);
      addresses.writeUInt32BE(address - (address % 2 ** (32 - length)), index * size);
      lengths[index] = length;
    } else {
      const { first, length } = parsePrefix(prefix) ?? raise(prefix);
      ipv6(first).copy(addresses, index * size);
      lengths[index] = length;
    }
  }
  const result = { addresses, lengths };
  packedLists[family].set(prefixes, result);
  return result;
}

const digests = new WeakMap<readonly string[], string>();

export function digestOf(list: readonly string[]): string {
  let digest = digests.get(list);
  if (digest === undefined) {
    digest = createHash('sha256').update(list.join('\n')).digest('hex');
    digests.set(list, digest);
  }
  return digest;
}

const ipv6 = (value: bigint) => Buffer.from(value.toString(16).padStart(32, '0'), 'hex');

function raise(prefix: string): never {
  throw new Error(`not a prefix: ${prefix}`);
}
