import ipaddr from 'ipaddr.js';
import { parsePrefix } from '#shared/tunnel/prefix.ts';
import type { CapturedPrefixes } from '../modes/routing-plan.ts';
import { addressAt, type Family, type PrefixList } from '../network/prefix-list.ts';

/** Addresses of one IP version as numbers, from the first to before the end. */
export interface AddressRange {
  first: bigint;
  end: bigint;
}

const bitsOf = { 4: 32, 6: 128 } as const;

/** The captured addresses of one IP version in ascending order, without those of `further`. */
export function capturedRanges(
  { include, exclude }: CapturedPrefixes,
  family: Family,
  further: readonly string[] = [],
): AddressRange[] {
  const excluded = [...rangesOf(exclude, family), ...further.flatMap((prefix) => rangeOf(prefix, family))];
  return subtract(merge(rangesOf(include, family)), merge(excluded));
}

/** The prefixes that have exactly these addresses, in canonical notation. */
export const prefixesOf = (ranges: readonly AddressRange[], family: Family): string[] =>
  ranges.flatMap((range) => (family === 4 ? ipv4Prefixes(range) : ipv6Prefixes(range)));

/** In numbers, which are several times faster: a list may have a hundred thousand prefixes. */
function ipv4Prefixes(range: AddressRange): string[] {
  const prefixes: string[] = [];
  const end = Number(range.end);
  for (let at = Number(range.first); at < end;) {
    let [size, length] = [1, 32];
    // As many bits as are free at the first address, and as fit before the end.
    while (length > 0 && at % (2 * size) === 0 && at + 2 * size <= end)
      [size, length] = [2 * size, length - 1];
    prefixes.push(`${ipv4Text(at)}/${length}`);
    at += size;
  }
  return prefixes;
}

function ipv6Prefixes({ first, end }: AddressRange): string[] {
  const prefixes: string[] = [];
  for (let at = first; at < end;) {
    let [size, length] = [1n, 128];
    while (length > 0 && at % (2n * size) === 0n && at + 2n * size <= end)
      [size, length] = [2n * size, length - 1];
    prefixes.push(`${addressText(at, 6)}/${length}`);
    at += size;
  }
  return prefixes;
}

export function addressText(value: bigint, family: Family): string {
  if (family === 4) return ipv4Text(Number(value));
  const bytes = Buffer.from(value.toString(16).padStart(bitsOf[6] / 4, '0'), 'hex');
  return ipaddr.fromByteArray([...bytes]).toString();
}

const ipv4Text = (value: number): string =>
  `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;

/** Of a prefix; none if it is of the other IP version. */
export function rangeOf(prefix: string, family: Family): AddressRange[] {
  const parsed = parsePrefix(prefix);
  if (parsed?.family !== family) return [];
  return [{ first: parsed.first, end: parsed.first + (1n << BigInt(bitsOf[family] - parsed.length)) }];
}

function rangesOf({ of }: PrefixList, family: Family): AddressRange[] {
  return Array.from(of[family].lengths, (length, index) => {
    const first = BigInt(`0x${addressAt(of[family], family, index).toString('hex')}`);
    return { first, end: first + (1n << BigInt(bitsOf[family] - length)) };
  });
}

const compare = (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other));

function merge(ranges: readonly AddressRange[]): AddressRange[] {
  const merged: AddressRange[] = [];
  for (const range of ranges.toSorted((one, other) => compare(one.first, other.first))) {
    const last = merged.at(-1);
    if (!last || range.first > last.end) merged.push({ ...range });
    else if (range.end > last.end) last.end = range.end;
  }
  return merged;
}

/** Both are merged. */
function subtract(from: readonly AddressRange[], excluded: readonly AddressRange[]): AddressRange[] {
  const left: AddressRange[] = [];
  let next = 0;
  for (const { first, end } of from) {
    let at = first;
    while (next < excluded.length && (excluded[next]?.end ?? end) <= at) next += 1;
    for (let index = next; index < excluded.length; index += 1) {
      const one = excluded[index];
      if (!one || one.first >= end) break;
      if (one.first > at) left.push({ first: at, end: one.first });
      if (one.end > at) at = one.end;
    }
    if (at < end) left.push({ first: at, end });
  }
  return left;
}
