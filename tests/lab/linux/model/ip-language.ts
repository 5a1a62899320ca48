import { isIPv6 } from 'node:net';
import { canonicalPrefix } from '#shared/tunnel/prefix.ts';

/**
 * Lines of ip(8) that the helper writes, and what rtnetlink makes of them. A word that is not known here is an error.
 */

export type Family = 4 | 6;
export type PortRange = readonly [first: number, last: number];

export interface Selectors {
  from?: string;
  to?: string;
  users?: PortRange;
  protocol?: number;
  sourcePorts?: PortRange;
  destinationPorts?: PortRange;
  fromThisMachine?: true;
}

export interface Rule {
  family: Family;
  priority: number;
  selectors: Selectors;
  /** `longerThan`: routes to prefixes of at most that length do not count. */
  action: { kind: 'lookup'; table: number; longerThan?: number } | { kind: 'unreachable' };
}

export interface Route {
  family: Family;
  table: number;
  prefix: string;
  metric: number;
  way: { kind: 'device'; device: string } | { kind: 'unreachable' } | { kind: 'throw' };
}

export type IpChange =
  | { kind: 'make-device'; device: string }
  | { kind: 'set-device'; device: string; up?: true; mtu?: number }
  | { kind: 'add-address' | 'remove-address'; device: string; address: string }
  | { kind: 'replace-route' | 'remove-route'; route: Route }
  | { kind: 'add-rule' | 'remove-rule'; rule: Rule };

export const mainTable = 254;
const tables: Readonly<Record<string, number>> = { main: mainTable };

/** What rtnetlink takes where no metric is said (Linux, include/uapi/linux/ipv6_route.h, IP6_RT_PRIO_USER). */
export const usualMetric = { 4: 0, 6: 1024 } as const;

export const familyOf = (address: string): Family => (isIPv6(address.split('/')[0] ?? '') ? 6 : 4);

export function readIpLine(line: string, family: Family | undefined): IpChange {
  const words = line.trim().split(/\s+/);
  const next = (): string => {
    const word = words.shift();
    if (word === undefined) throw new Error(`a word is missing in: ${line}`);
    return word;
  };
  const unknown = (word: string) => new Error(`the model does not know ${word} in: ${line}`);
  const [subject, verb] = [next(), next()];
  switch (`${subject} ${verb}`) {
    case 'tuntap add': {
      const device = readNamed(words, next, ['mode', 'user'], unknown);
      return { kind: 'make-device', device };
    }
    case 'link set':
      return readLink(words, next, unknown);
    case 'address replace':
    case 'address del': {
      const [address = ''] = next().split('/');
      const device = readNamed(words, next, [], unknown, ['nodad']);
      return { kind: verb === 'del' ? 'remove-address' : 'add-address', device, address };
    }
    case 'route replace':
    case 'route del':
      return {
        kind: verb === 'del' ? 'remove-route' : 'replace-route',
        route: readRoute(words, next, unknown),
      };
    case 'rule add':
    case 'rule del': {
      if (family === undefined) throw new Error(`a rule of no IP version: ${line}`);
      return {
        kind: verb === 'del' ? 'remove-rule' : 'add-rule',
        rule: readRule(words, next, unknown, family),
      };
    }
    default:
      throw unknown(`${subject} ${verb}`);
  }
}

type Next = () => string;
type Unknown = (word: string) => Error;

/** `dev NAME` among words that say nothing about where packets go. */
function readNamed(
  words: readonly string[],
  next: Next,
  withValue: readonly string[],
  unknown: Unknown,
  alone: readonly string[] = [],
): string {
  let device = '';
  while (words.length > 0) {
    const word = next();
    if (word === 'dev') device = next();
    else if (withValue.includes(word)) next();
    else if (!alone.includes(word)) throw unknown(word);
  }
  return device;
}

function readLink(words: readonly string[], next: Next, unknown: Unknown): IpChange {
  const found: Extract<IpChange, { kind: 'set-device' }> = { kind: 'set-device', device: '' };
  while (words.length > 0) {
    const word = next();
    if (word === 'dev') found.device = next();
    else if (word === 'up') found.up = true;
    else if (word === 'mtu') found.mtu = Number(next());
    else if (word === 'txqueuelen' || word === 'addrgenmode') next();
    else throw unknown(word);
  }
  return found;
}

function readRoute(words: string[], next: Next, unknown: Unknown): Route {
  const isRefused = words[0] === 'unreachable';
  if (isRefused) next();
  const prefix = asPrefix(next());
  const family = familyOf(prefix);
  const route: Route = {
    family,
    table: mainTable,
    prefix,
    metric: usualMetric[family],
    way: { kind: 'unreachable' },
  };
  while (words.length > 0) {
    const word = next();
    if (word === 'dev') route.way = { kind: 'device', device: next() };
    else if (word === 'table') route.table = Number(next());
    else if (word === 'metric') route.metric = Number(next());
    else if (word === 'scope' || word === 'protocol') next();
    else throw unknown(word);
  }
  return route;
}

function readRule(words: readonly string[], next: Next, unknown: Unknown, family: Family): Rule {
  const range = (text: string): PortRange => {
    const [first, last = first] = text.split('-').map(Number);
    return [first ?? NaN, last ?? NaN];
  };
  const rule: Rule = { family, priority: NaN, selectors: {}, action: { kind: 'unreachable' } };
  const { selectors } = rule;
  while (words.length > 0) {
    const word = next();
    if (word === 'priority') rule.priority = Number(next());
    else if (word === 'protocol') next();
    else if (word === 'from') selectors.from = asPrefix(next());
    else if (word === 'to') selectors.to = asPrefix(next());
    else if (word === 'uidrange') selectors.users = range(next());
    else if (word === 'ipproto') selectors.protocol = Number(next());
    else if (word === 'sport') selectors.sourcePorts = range(next());
    else if (word === 'dport') selectors.destinationPorts = range(next());
    else if (word === 'iif' && next() === 'lo') selectors.fromThisMachine = true;
    else if (word === 'lookup') {
      const table = next();
      rule.action = { kind: 'lookup', table: tables[table] ?? Number(table) };
    } else if (word === 'suppress_prefixlength' && rule.action.kind === 'lookup')
      rule.action.longerThan = Number(next());
    else if (word !== 'unreachable') throw unknown(word);
  }
  return rule;
}

/** With its length, and as everybody writes it. */
export function asPrefix(text: string): string {
  const prefix = canonicalPrefix(text);
  if (prefix === undefined) throw new Error(`not a prefix: ${text}`);
  return prefix;
}
