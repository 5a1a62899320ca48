import { parseIpv4Prefix, parsePrefix } from '#shared/tunnel/prefix.ts';

/** What an interval set of nftables begins and ends with: the first address, and the one after the last. */
export interface Interval {
  first: Buffer;
  /** Absent where the last address is the last of all. */
  end: Buffer | undefined;
}

export type Family = 4 | 6;

export const isOfFamily = (family: Family) => (prefix: string) => prefix.includes(':') === (family === 6);

/** The addresses of prefixes, those that overlap or follow each other as one, in ascending order. */
export function intervalsOf(prefixes: readonly string[], family: Family): Interval[] {
  return family === 4 ? ipv4Intervals(prefixes) : ipv6Intervals(prefixes);
}

function ipv4Intervals(prefixes: readonly string[]): Interval[] {
  const ranges = prefixes
    .map((prefix) => {
      const { address, length } = parseIpv4Prefix(prefix) ?? raise(prefix);
      const size = 2 ** (32 - length);
      const first = address - (address % size);
      return [first, first + size] as const;
    })
    .sort(([one], [other]) => one - other);
  return merged(ranges).map(([first, end]) => ({
    first: ipv4(first),
    end: end < 2 ** 32 ? ipv4(end) : undefined,
  }));
}

function ipv6Intervals(prefixes: readonly string[]): Interval[] {
  const ranges = prefixes
    .map((prefix) => {
      const { first, length } = parsePrefix(prefix) ?? raise(prefix);
      return [first, first + (1n << BigInt(128 - length))] as const;
    })
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  return merged(ranges).map(([first, end]) => ({
    first: ipv6(first),
    end: end < 1n << 128n ? ipv6(end) : undefined,
  }));
}

/** The end is the first address behind. */
function merged<Value extends number | bigint>(
  sorted: readonly (readonly [Value, Value])[],
): [Value, Value][] {
  const all: [Value, Value][] = [];
  for (const [first, end] of sorted) {
    const last = all.at(-1);
    if (!last || first > last[1]) all.push([first, end]);
    else if (end > last[1]) last[1] = end;
  }
  return all;
}

function ipv4(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const ipv6 = (value: bigint) => Buffer.from(value.toString(16).padStart(32, '0'), 'hex');

function raise(prefix: string): never {
  throw new Error(`not a prefix: ${prefix}`);
}
