import { createHash } from 'node:crypto';
import { formatPrefix, parseIpv4Prefix, parsePrefix, type Prefix } from '#shared/tunnel/prefix.ts';

export type Family = 4 | 6;
const families = [4, 6] as const;

export const isOfFamily = (family: Family) => (prefix: string) => prefix.includes(':') === (family === 6);

/** The size of an address in bytes. */
export const addressBytes = { 4: 4, 6: 16 } as const;

/** The prefixes of one IP version in a list: all first addresses in a row, and the lengths. */
export interface PackedPrefixes {
  readonly addresses: Buffer;
  readonly lengths: Uint8Array;
}

/**
 * Prefixes as they travel through the helper: read once, at its door, since there may be a hundred thousand. Each is
 * there once, without bits after the prefix.
 */
export interface PrefixList {
  /** The number of prefixes of both IP versions. */
  readonly length: number;
  /** The same for lists with the same prefixes in the same order, and only for these. */
  readonly digest: string;
  readonly of: Readonly<Record<Family, PackedPrefixes>>;
}

/** Throws if a text is not a prefix. */
export function readPrefixList(texts: readonly string[]): PrefixList {
  return listOf({ 4: packIpv4(texts.filter(isOfFamily(4))), 6: packIpv6(texts.filter(isOfFamily(6))) });
}

/** The prefixes of both, each once. */
export function joinPrefixLists(one: PrefixList, other: PrefixList): PrefixList {
  if (other.length === 0) return one;
  const join = (family: Family): PackedPrefixes => ({
    addresses: Buffer.concat([one.of[family].addresses, other.of[family].addresses]),
    lengths: Buffer.concat([one.of[family].lengths, other.of[family].lengths]),
  });
  return listOf({ 4: join(4), 6: join(6) });
}

/** In canonical notation: first those of IPv4, then those of IPv6. */
export function prefixTexts({ of }: PrefixList): string[] {
  return families.flatMap((family) =>
    Array.from(of[family].lengths, (length, index) => {
      const bytes = addressAt(of[family], family, index);
      if (family === 4) return `${bytes.join('.')}/${length}`;
      return formatPrefix({ family, first: firstAt(of[family], family, index), length });
    }),
  );
}

/** Those of one IP version, as numbers. */
export const prefixesOf = ({ of }: PrefixList, family: Family): Prefix[] =>
  Array.from(of[family].lengths, (length, index) => ({
    family,
    first: firstAt(of[family], family, index),
    length,
  }));

/** Whether any of the prefixes contains an address. This is fast, because lists have a hundred thousand. */
export function containsAddress({ of }: PrefixList, address: string): boolean {
  const parsed = parsePrefix(address);
  if (!parsed) return false;
  const { family, first } = parsed;
  const { addresses, lengths } = of[family];
  if (family === 6)
    return lengths.some((length, index) => {
      const behind = BigInt(128 - length);
      return first >> behind === firstAt(of[6], 6, index) >> behind;
    });
  const value = Number(first);
  return lengths.some(
    (length, index) =>
      value - (value % 2 ** (32 - length)) === addresses.readUInt32BE(index * addressBytes[4]),
  );
}

export const hasFamily = ({ of }: PrefixList, family: Family): boolean => of[family].lengths.length > 0;

/** Whether it contains every address of an IP version, as one prefix. */
export const hasDefault = ({ of }: PrefixList, family: Family): boolean => of[family].lengths.includes(0);

export const addressAt = ({ addresses }: PackedPrefixes, family: Family, index: number): Buffer =>
  addresses.subarray(index * addressBytes[family], (index + 1) * addressBytes[family]);

function firstAt(packed: PackedPrefixes, family: Family, index: number): bigint {
  const address = addressAt(packed, family, index);
  return family === 4 ? BigInt(address.readUInt32BE()) : BigInt(`0x${address.toString('hex')}`);
}

function listOf(given: Record<Family, PackedPrefixes>): PrefixList {
  const of = { 4: eachOnce(given[4], 4), 6: eachOnce(given[6], 6) };
  const hash = createHash('sha256');
  for (const family of families) {
    const { addresses, lengths } = of[family];
    hash.update(`${lengths.length} `).update(addresses).update(lengths);
  }
  return { length: of[4].lengths.length + of[6].lengths.length, digest: hash.digest('hex'), of };
}

/** The factor that makes room for a length beside an IPv4 address in one number. */
const lengthsIpv4 = 64;

function eachOnce(packed: PackedPrefixes, family: Family): PackedPrefixes {
  const seen = new Set<number | string>();
  const kept: number[] = [];
  for (const [index, length] of packed.lengths.entries()) {
    const address = addressAt(packed, family, index);
    const key =
      family === 4 ? address.readUInt32BE() * lengthsIpv4 + length : `${address.toString('hex')}/${length}`;
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(index);
  }
  if (kept.length === packed.lengths.length) return packed;
  return {
    addresses: Buffer.concat(kept.map((index) => addressAt(packed, family, index))),
    lengths: Uint8Array.from(kept, (index) => packed.lengths[index] ?? 0),
  };
}

function packIpv4(texts: readonly string[]): PackedPrefixes {
  const addresses = Buffer.alloc(texts.length * addressBytes[4]);
  const lengths = Uint8Array.from(texts, (text, index) => {
    const { address, length } = parseIpv4Prefix(text) ?? raise(text);
    addresses.writeUInt32BE(address - (address % 2 ** (32 - length)), index * addressBytes[4]);
    return length;
  });
  return { addresses, lengths };
}

function packIpv6(texts: readonly string[]): PackedPrefixes {
  const addresses = Buffer.alloc(texts.length * addressBytes[6]);
  const lengths = Uint8Array.from(texts, (text, index) => {
    const { first, length } = parsePrefix(text) ?? raise(text);
    addresses.write(first.toString(16).padStart(32, '0'), index * addressBytes[6], 'hex');
    return length;
  });
  return { addresses, lengths };
}

function raise(text: string): never {
  throw new Error(`not a prefix: ${text}`);
}
