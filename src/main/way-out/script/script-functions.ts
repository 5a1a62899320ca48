import { isIP, isIPv4 } from 'node:net';
import { isInsidePrefix, parsePrefix } from '#shared/tunnel/prefix.ts';

/** What a script can learn of this computer and its network. */
export interface ScriptWorld {
  /** The address with which this computer reaches others, of each version of IP that it has. */
  own: readonly string[];
  /** The addresses of a name, empty if it has none. Throws `NameWanted` if they are not known yet. */
  addressesOf(name: string): readonly string[];
  now(): Date;
}

type Value = string | number | boolean | null;
type ScriptFunction = (...args: Value[]) => Value;

/**
 * The functions that a script can call besides those of its language
 * (https://developer.mozilla.org/docs/Web/HTTP/Guides/Proxy_servers_and_tunneling/Proxy_Auto-Configuration_PAC_file),
 * and Microsoft's for IPv6 (https://learn.microsoft.com/windows/win32/winhttp/ipv6-aware-proxy-helper-api-definitions).
 */
export function scriptFunctions(world: ScriptWorld): Readonly<Record<string, ScriptFunction>> {
  const found = (name: string) => (isIP(name) !== 0 ? [name] : world.addressesOf(name));
  const firstIpv4 = (name: string) => found(name).find((address) => isIPv4(address)) ?? null;
  return {
    alert: () => null,
    isPlainHostName: (host) => !text(host).includes('.'),
    dnsDomainIs: (host, domain) => lower(host).endsWith(lower(domain)),
    dnsDomainLevels: (host) => text(host).split('.').length - 1,
    localHostOrDomainIs(host, domain) {
      const [name, whole] = [lower(host), lower(domain)];
      return name === whole || (!name.includes('.') && whole.startsWith(`${name}.`));
    },
    shExpMatch: (value, pattern) => matchesShell(text(value), text(pattern)),
    dnsResolve: (host) => firstIpv4(text(host)),
    dnsResolveEx: (host) => found(text(host)).join(';'),
    isResolvable: (host) => firstIpv4(text(host)) !== null,
    isResolvableEx: (host) => found(text(host)).length > 0,
    isInNet(host, network, mask) {
      const address = numberOf(firstIpv4(text(host)) ?? '');
      const [pattern, bits] = [numberOf(text(network)), numberOf(text(mask))];
      if (address === undefined || pattern === undefined || bits === undefined) return false;
      return (address & bits) === (pattern & bits);
    },
    isInNetEx(host, prefix) {
      const network = text(prefix);
      if (parsePrefix(network) === undefined) return false;
      return found(text(host)).some((address) => isInsidePrefix(address, network));
    },
    convert_addr: (address) => (numberOf(text(address)) ?? 0) >>> 0,
    myIpAddress: () => world.own.find((address) => isIPv4(address)) ?? '127.0.0.1',
    myIpAddressEx: () => world.own.join(';'),
    sortIpAddressList: (list) => text(list),
    getClientVersion: () => '1.0',
    weekdayRange: (...args) => inTurn(args, world.now(), weekdays),
    dateRange: (...args) => isInDates(args, world.now()),
    timeRange: (...args) => isInTimes(args, world.now()),
  };
}

const text = (value: Value | undefined) => (value === undefined || value === null ? '' : String(value));
const lower = (value: Value | undefined) => text(value).toLowerCase();

/** An IPv4 address as a number of 32 bits, with its sign. */
function numberOf(address: string): number | undefined {
  if (!isIPv4(address)) return undefined;
  return address.split('.').reduce((sum, part) => (sum << 8) | Number(part), 0);
}

/** `*` stands for any characters, `?` for one. In linear time for each star, unlike a regular expression. */
function matchesShell(value: string, pattern: string): boolean {
  let [at, next] = [0, 0];
  let star: { pattern: number; value: number } | undefined;
  while (at < value.length) {
    if (pattern[next] === '*') {
      star = { pattern: next, value: at };
      next += 1;
    } else if (next < pattern.length && (pattern[next] === '?' || pattern[next] === value[at])) {
      at += 1;
      next += 1;
    } else if (star) {
      star.value += 1;
      at = star.value;
      next = star.pattern + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(next));
}

const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Without the last argument, if that says that the others are in UTC. */
function withZone(args: readonly Value[]): { args: readonly Value[]; isUtc: boolean } {
  const isUtc = args.at(-1) === 'GMT';
  return { args: isUtc ? args.slice(0, -1) : args, isUtc };
}

/** Whether a value is between two others, of which the second may come round before the first. */
function isBetween(value: number, first: number, last: number): boolean {
  return first <= last ? first <= value && value <= last : first <= value || value <= last;
}

function inTurn(given: readonly Value[], now: Date, names: readonly string[]): boolean {
  const { args, isUtc } = withZone(given);
  const [first = -1, last = first] = args.map((name) => names.indexOf(text(name).toUpperCase()));
  if (first < 0 || last < 0) return false;
  return isBetween(isUtc ? now.getUTCDay() : now.getDay(), first, last);
}

/** Days, months and years, each at most once, or once for each end of the range. */
function isInDates(given: readonly Value[], now: Date): boolean {
  const { args, isUtc } = withZone(given);
  const parts = args.map(datePart);
  const half = parts.length > 1 ? parts.length / 2 : 1;
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0 || known.length !== parts.length) return false;
  const current = isUtc
    ? { year: now.getUTCFullYear(), month: now.getUTCMonth(), day: now.getUTCDate() }
    : { year: now.getFullYear(), month: now.getMonth(), day: now.getDate() };
  const kinds = new Set(known.map(({ kind }) => kind));
  const rank = (value: Readonly<Record<DateKind, number>>) =>
    (kinds.has('year') ? value.year * 10_000 : 0) +
    (kinds.has('month') ? value.month * 100 : 0) +
    (kinds.has('day') ? value.day : 0);
  const end = (some: readonly DatePart[]) =>
    rank({ ...current, ...Object.fromEntries(some.map(({ kind, value }) => [kind, value])) });
  // One of each names a single date.
  if (known.length === kinds.size) return rank(current) === end(known);
  if (!Number.isInteger(half)) return false;
  return isBetween(rank(current), end(known.slice(0, half)), end(known.slice(half)));
}

type DateKind = 'day' | 'month' | 'year';
interface DatePart {
  kind: DateKind;
  value: number;
}

function datePart(arg: Value): DatePart | undefined {
  const month = months.indexOf(text(arg).toUpperCase());
  if (month >= 0) return { kind: 'month', value: month };
  const value = Number(text(arg) || NaN);
  if (!Number.isInteger(value) || value < 1) return undefined;
  return { kind: value > 31 ? 'year' : 'day', value };
}

/** Hours, hours and minutes, or hours, minutes and seconds of both ends; or one hour. */
function isInTimes(given: readonly Value[], now: Date): boolean {
  const { args, isUtc } = withZone(given);
  const numbers = args.map((arg) => Number(text(arg) || NaN));
  if (numbers.some((number) => !Number.isInteger(number))) return false;
  const [hours, minutes, seconds] = isUtc
    ? [now.getUTCHours(), now.getUTCMinutes(), now.getUTCSeconds()]
    : [now.getHours(), now.getMinutes(), now.getSeconds()];
  if (numbers.length === 1) return hours === numbers[0];
  if (![2, 4, 6].includes(numbers.length)) return false;
  const half = numbers.length / 2;
  const second = ([h = 0, m = 0, s = 0]: readonly number[]) => h * 3_600 + m * 60 + s;
  const last = [...numbers.slice(half), ...(half < 2 ? [59] : []), ...(half < 3 ? [59] : [])];
  return isBetween(second([hours, minutes, seconds]), second(numbers.slice(0, half)), second(last));
}
