import { addressAt, addressBytes, type Family, type PackedPrefixes } from '../../network/prefix-list.ts';

/** An interval of an nftables set: the first address, and the one after the last. */
export interface Interval {
  first: Buffer;
  /** Absent if it ends with the last address of all. */
  end: Buffer | undefined;
}

/** Generated one by one: a hundred thousand at once would take a hundred megabytes. */
export interface Intervals {
  length: number;
  at(index: number): Interval;
}

/** The addresses in prefixes of one IP version, in ascending order, with overlapping and adjacent prefixes merged. */
export function intervalsOf(prefixes: PackedPrefixes, family: Family): Intervals {
  return family === 4 ? ipv4Intervals(prefixes) : ipv6Intervals(prefixes);
}

/** The factor that makes room for a length beside an address in one number. */
const lengths = 64;

function ipv4Intervals({ addresses, lengths: all }: PackedPrefixes): Intervals {
  const sorted = Float64Array.from(
    all,
    (length, index) => addresses.readUInt32BE(index * addressBytes[4]) * lengths + length,
  ).sort();
  const bounds = new Float64Array(2 * sorted.length);
  let count = 0;
  for (const packed of sorted) {
    const first = Math.floor(packed / lengths);
    const end = first + 2 ** (32 - (packed % lengths));
    const last = bounds[2 * count - 1];
    if (last === undefined || first > last) {
      bounds.set([first, end], 2 * count);
      count += 1;
    } else if (end > last) bounds[2 * count - 1] = end;
  }
  return {
    length: count,
    at(index) {
      const [first = 0, end = 0] = bounds.subarray(2 * index);
      return { first: ipv4(first), end: end < 2 ** 32 ? ipv4(end) : undefined };
    },
  };
}

function ipv6Intervals(prefixes: PackedPrefixes): Intervals {
  const ranges = Array.from(prefixes.lengths, (length, index) => {
    const first = BigInt(`0x${addressAt(prefixes, 6, index).toString('hex')}`);
    return [first, first + (1n << BigInt(128 - length))] as const;
  }).sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  const all: [bigint, bigint][] = [];
  for (const [first, end] of ranges) {
    const last = all.at(-1);
    if (!last || first > last[1]) all.push([first, end]);
    else if (end > last[1]) last[1] = end;
  }
  return {
    length: all.length,
    at(index) {
      const [first, end] = all[index] ?? [0n, 0n];
      return { first: ipv6(first), end: end < 1n << 128n ? ipv6(end) : undefined };
    },
  };
}

function ipv4(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const ipv6 = (value: bigint) => Buffer.from(value.toString(16).padStart(32, '0'), 'hex');
