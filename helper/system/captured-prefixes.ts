import ipaddr from 'ipaddr.js';
import { privateNetworks } from '#shared/tunnel/local-networks.ts';
import type { NamedPrefixes } from '../modes/split.ts';
import type { PushedRoutes } from '../network/tunnel-configuration.ts';

/** The addresses of a prefix, as numbers. */
interface Range {
  first: bigint;
  last: bigint;
  length: number;
}

const bits = { ipv4: 32, ipv6: 128 } as const;
type Family = keyof typeof bits;

/**
 * Prefixes that lead to this machine, stay on its links or have no owner (RFC 6890); a gateway must never claim them.
 */
const neverCaptured = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/96',
  '::ffff:0:0/96',
  'fe80::/10',
  'ff00::/8',
];

/**
 * What is captured of the routes that a gateway pushed: without this machine's own networks and the gateway itself.
 * `undefined` means everything, because they contain a default route, possibly in pieces.
 *
 * Of the networks that the machine is attached to, only private ones are excluded. Anybody who answers its DHCP can
 * attach it to any prefix, and would otherwise make others' traffic leave in the clear (TunnelCrack, LocalNet;
 * https://tunnelcrack.mathyvanhoef.com).
 */
export function capturedPrefixes(
  pushed: PushedRoutes,
  { attachedNetworks, gateways }: { attachedNetworks: readonly string[]; gateways: readonly string[] },
): NamedPrefixes | undefined {
  if (pushed.includes.length === 0) return undefined;
  const own = [...neverCaptured, ...gateways.map((gateway) => `${gateway}/${bits[familyOf(gateway)]}`)];
  const captured: NamedPrefixes = { include: [], exclude: [] };
  for (const family of ['ipv4', 'ipv6'] as const) {
    const rangesOf = (prefixes: readonly string[]) =>
      prefixes.filter((prefix) => familyOf(prefix) === family).map(toRange);
    const includes = rangesOf(pushed.includes);
    const homes = rangesOf(privateNetworks);
    // A default route for IPv6 alone is a prefix like any other: for IPv4, the gateway has named its networks.
    if (family === 'ipv4' && coverAllIpv4([...includes, ...homes, ...rangesOf(own)])) return undefined;
    const attached = rangesOf(attachedNetworks).filter((one) => homes.some((home) => isInside(one, home)));
    const excludes = [...rangesOf([...pushed.excludes, ...own]), ...attached];
    const left = subtract(includes.flatMap(withoutDefault), excludes);
    captured.include.push(...left.include.map((range) => toText(range, family)));
    captured.exclude.push(...left.exclude.map((range) => toText(range, family)));
  }
  return captured;
}

/** Whether an address is captured. */
export function isCaptured(address: string, { include, exclude }: NamedPrefixes): boolean {
  const family = familyOf(address);
  const self = toRange(`${address}/${bits[family]}`);
  const isIn = (prefixes: readonly string[]) =>
    prefixes.some((prefix) => familyOf(prefix) === family && isInside(self, toRange(prefix)));
  return isIn(include) && !isIn(exclude);
}

/**
 * Two prefixes are either nested or disjoint, so in this order each comes after those that contain it. The result has
 * the includes that are in no other prefix, and the excludes that are inside an include.
 */
function subtract(includes: readonly Range[], excludes: readonly Range[]) {
  const kept = { include: [] as Range[], exclude: [] as Range[] };
  const reach = { include: -1n, exclude: -1n };
  const all = [
    ...excludes.map((range) => ({ range, kind: 'exclude' as const })),
    ...includes.map((range) => ({ range, kind: 'include' as const })),
  ].sort(
    (one, other) => compare(one.range.first, other.range.first) || one.range.length - other.range.length,
  );
  for (const { range, kind } of all) {
    const isAlready = range.last <= reach[kind];
    const isElsewhere = kind === 'include' ? range.last <= reach.exclude : range.last > reach.include;
    if (!isAlready) reach[kind] = kind === 'exclude' || !isElsewhere ? range.last : reach[kind];
    if (!isAlready && !isElsewhere) kept[kind].push(range);
  }
  return kept;
}

/** Whether these contain all addresses. */
function coverAllIpv4(ranges: readonly Range[]): boolean {
  let next = 0n;
  for (const { first, last } of ranges.toSorted((one, other) => compare(one.first, other.first))) {
    if (first > next) return false;
    if (last >= next) next = last + 1n;
  }
  return next === 1n << 32n;
}

/** Split in two halves, because many programs treat a default route specially. */
function withoutDefault(range: Range): Range[] {
  if (range.length > 0) return [range];
  const middle = (range.last + 1n) / 2n;
  return [
    { first: range.first, last: middle - 1n, length: 1 },
    { first: middle, last: range.last, length: 1 },
  ];
}

const isInside = (one: Range, other: Range) => one.first >= other.first && one.last <= other.last;
const compare = (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other));
const familyOf = (prefix: string): Family => (prefix.includes(':') ? 'ipv6' : 'ipv4');

/** Bits after the prefix are ignored. */
function toRange(prefix: string): Range {
  const [address, length] = ipaddr.parseCIDR(prefix);
  const bytes = Buffer.from(address.toByteArray());
  const size = 1n << BigInt(bytes.length * 8 - length);
  const first = BigInt(`0x${bytes.toString('hex')}`) & -size;
  return { first, last: first + size - 1n, length };
}

function toText({ first, length }: Range, family: Family): string {
  const bytes = Buffer.from(first.toString(16).padStart(bits[family] / 4, '0'), 'hex');
  return `${ipaddr.fromByteArray([...bytes]).toString()}/${length}`;
}
