import type { Prefix } from '#shared/tunnel/prefix.ts';

const bits = { 4: 32n, 6: 128n } as const;

/** What is in the first prefixes and in none of the others, as the fewest prefixes; all of one IP version. */
export function subtractPrefixes(from: readonly Prefix[], others: readonly Prefix[]): Prefix[] {
  const [family = 4] = from.map((prefix) => prefix.family);
  const left: Prefix[] = [];
  const taken = joined(others);
  let next = 0;
  for (const { first, last } of joined(from)) {
    let at = first;
    while (next < taken.length && (taken[next]?.last ?? 0n) < at) next += 1;
    for (let index = next; index < taken.length; index += 1) {
      const hole = taken[index];
      if (!hole || hole.first > last) break;
      if (hole.first > at) left.push(...prefixesOf(family, at, hole.first - 1n));
      at = hole.last + 1n;
      if (at > last) break;
    }
    if (at <= last) left.push(...prefixesOf(family, at, last));
  }
  return left;
}

/** The two halves of a prefix; undefined if it is one address. */
export function halvesOf({ family, first, length }: Prefix): [Prefix, Prefix] | undefined {
  if (BigInt(length) === bits[family]) return undefined;
  const size = 1n << (bits[family] - BigInt(length) - 1n);
  return [
    { family, first, length: length + 1 },
    { family, first: first + size, length: length + 1 },
  ];
}

interface Range {
  first: bigint;
  last: bigint;
}

/** In order, and none of them touches another. */
function joined(prefixes: readonly Prefix[]): Range[] {
  const ranges = prefixes
    .map(({ family, first, length }) => ({
      first,
      last: first + (1n << (bits[family] - BigInt(length))) - 1n,
    }))
    .sort((one, other) => (one.first < other.first ? -1 : Number(one.first > other.first)));
  const found: Range[] = [];
  for (const range of ranges) {
    const before = found.at(-1);
    if (!before || range.first > before.last + 1n) found.push({ ...range });
    else if (range.last > before.last) before.last = range.last;
  }
  return found;
}

function prefixesOf(family: 4 | 6, first: bigint, last: bigint): Prefix[] {
  const found: Prefix[] = [];
  let at = first;
  while (at <= last) {
    // As wide as its first address allows, and no wider than what is left.
    let size = at === 0n ? 1n << bits[family] : at & -at;
    while (at + size - 1n > last) size >>= 1n;
    found.push({ family, first: at, length: Number(bits[family]) - (size.toString(2).length - 1) });
    at += size;
  }
  return found;
}
