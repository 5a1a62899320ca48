import { isIP, isIPv6 } from 'node:net';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';

/**
 * The part of pf.conf(5) that the helper writes, read strictly: a word that is not known is a syntax error. Written
 * from the manual page, not from the code that writes the rules.
 */
export interface FilterRule {
  action: 'pass' | 'drop' | 'return' | 'scrub';
  direction: 'in' | 'out' | undefined;
  isQuick: boolean;
  device: { name: string; isOther: boolean } | undefined;
  family: 4 | 6 | undefined;
  protocols: readonly string[] | undefined;
  from: End;
  to: End;
  users: readonly number[] | undefined;
  icmpType: string | undefined;
  /** `first`: only the first packet of a connection of TCP. */
  flags: 'any' | 'first' | undefined;
  state: 'none' | 'device' | 'floating';
  /** As the kernel would list it. */
  text: string;
}

interface End {
  hosts: readonly Host[] | undefined;
  ports: readonly number[] | undefined;
}
type Host = { kind: 'prefix'; prefix: string } | { kind: 'table'; name: string };

export interface Anchor {
  rules: FilterRule[];
  /** Prefixes by table; with `!`: an exception. */
  tables: Map<string, string[]>;
}

export interface Packet {
  source: string;
  destination: string;
  protocol: 'tcp' | 'udp' | 'icmp' | 'ipv6-icmp';
  sourcePort?: number;
  destinationPort?: number;
  /** Whose socket it is, if it is one on this machine. */
  user?: number;
  icmpType?: string;
  /** In TCP: not the first one of a connection. */
  isAnswer?: boolean;
}

/** Throws like pfctl for what it cannot read. */
export function readAnchor(text: string): Anchor {
  const anchor: Anchor = { rules: [], tables: new Map() };
  for (const line of text.split('\n').filter(Boolean)) {
    const table = /^table <(\w+)> const \{ (.*) \}$/.exec(line);
    if (table) anchor.tables.set(table[1] ?? '', (table[2] ?? '').split(', ').filter(Boolean));
    else anchor.rules.push(readRule(line, anchor.tables));
  }
  return anchor;
}

function readRule(line: string, tables: ReadonlyMap<string, unknown>): FilterRule {
  const words = line.split(' ');
  const fail = (): never => {
    throw new Error(`stdin: syntax error: ${line}`);
  };
  const next = () => words.shift() ?? fail();
  const skip = (word: string) => {
    if (words[0] !== word) return false;
    words.shift();
    return true;
  };
  /** One word, or several in braces. */
  const list = (): string[] => {
    if (!skip('{')) return [next()];
    const found: string[] = [];
    while (!skip('}')) found.push(next());
    return found.length > 0 ? found : fail();
  };
  const hostOf = (word: string): Host => {
    const table = /^<(\w+)>$/.exec(word)?.[1];
    if (table !== undefined) return tables.has(table) ? { kind: 'table', name: table } : fail();
    const [address = '', length] = word.split('/');
    if (isIP(address) === 0) return fail();
    return { kind: 'prefix', prefix: `${address}/${length ?? (isIPv6(address) ? 128 : 32)}` };
  };
  const end = (): End => {
    const hosts = skip('any') ? undefined : list().map(hostOf);
    const ports = skip('port') ? list().map(Number) : undefined;
    return ports?.some(Number.isNaN) ? fail() : { hosts, ports };
  };

  const first = next();
  const isScrub = first === 'scrub';
  const action = isScrub
    ? 'scrub'
    : first === 'pass'
      ? 'pass'
      : first === 'block'
        ? blockAction(next())
        : fail();
  const direction = skip('in') ? 'in' : skip('out') ? 'out' : undefined;
  const isQuick = skip('quick');
  const device = skip('on') ? { isOther: skip('!'), name: next() } : undefined;
  const family = skip('inet') ? 4 : skip('inet6') ? 6 : undefined;
  const protocols = skip('proto') ? list() : undefined;
  let [from, to]: End[] = [
    { hosts: undefined, ports: undefined },
    { hosts: undefined, ports: undefined },
  ];
  if (!skip('all')) {
    if (!skip('from')) fail();
    from = end();
    if (!skip('to')) fail();
    to = end();
  }
  // Ports only mean something with these (pf.conf(5), "port").
  const hasPorts = (from?.ports ?? to?.ports) !== undefined;
  if (hasPorts && !protocols?.every((one) => one === 'tcp' || one === 'udp')) fail();
  let flags = skip('flags') ? flagsOf(next()) : undefined;
  const users = skip('user') ? list().map(Number) : undefined;
  const icmpType = skip('icmp6-type') ? next() : undefined;
  if (isScrub) {
    if (!skip('max-mss') || Number.isNaN(Number(next()))) fail();
  }
  if (skip('flags')) flags = flagsOf(next());
  let state: FilterRule['state'] = action === 'pass' ? 'floating' : 'none';
  if (skip('no')) state = skip('state') ? 'none' : fail();
  else if (skip('keep')) {
    if (!skip('state')) fail();
    state = skip('(if-bound)') ? 'device' : 'floating';
  }
  // Lets packets pass that have options of IP; the model has none.
  if (skip('allow-opts') && action !== 'pass') fail();
  if (words.length > 0 || !from || !to) return fail();
  return {
    action,
    direction,
    isQuick,
    device,
    family,
    protocols,
    from,
    to,
    users,
    icmpType,
    flags,
    state,
    text: line,
  };
}

function flagsOf(word: string): 'any' | 'first' {
  if (word === 'any') return 'any';
  if (word === 'S/SA') return 'first';
  throw new Error(`stdin: syntax error: flags ${word}`);
}

function blockAction(word: string): 'drop' | 'return' {
  if (word === 'drop' || word === 'return') return word;
  throw new Error(`stdin: syntax error: block ${word}`);
}

/** The last rule that matches decides, or the first with `quick`; undefined: none does. */
export function decide(
  { rules, tables }: Anchor,
  packet: Packet,
  direction: 'in' | 'out',
  device: string,
): FilterRule | undefined {
  let decided: FilterRule | undefined;
  for (const rule of rules) {
    if (rule.action === 'scrub' || !matches(rule, packet, direction, device, tables)) continue;
    decided = rule;
    if (rule.isQuick) break;
  }
  return decided;
}

function matches(
  rule: FilterRule,
  packet: Packet,
  direction: 'in' | 'out',
  device: string,
  tables: Anchor['tables'],
): boolean {
  if (rule.direction !== undefined && rule.direction !== direction) return false;
  if (rule.device && (rule.device.name === device) === rule.device.isOther) return false;
  if (rule.family !== undefined && rule.family !== (isIPv6(packet.destination) ? 6 : 4)) return false;
  if (rule.protocols && !rule.protocols.includes(packet.protocol)) return false;
  if (rule.icmpType !== undefined && rule.icmpType !== packet.icmpType) return false;
  if (rule.flags === 'first' && packet.isAnswer) return false;
  // Only of TCP and UDP is a user known.
  const isOfUser = packet.user !== undefined && (packet.protocol === 'tcp' || packet.protocol === 'udp');
  if (rule.users && !(isOfUser && rule.users.includes(packet.user ?? -1))) return false;
  return (
    isAt(rule.from, packet.source, packet.sourcePort, tables) &&
    isAt(rule.to, packet.destination, packet.destinationPort, tables)
  );
}

function isAt(end: End, address: string, port: number | undefined, tables: Anchor['tables']): boolean {
  if (end.ports && !(port !== undefined && end.ports.includes(port))) return false;
  return (
    end.hosts?.some((host) =>
      host.kind === 'prefix'
        ? isInsidePrefix(address, host.prefix)
        : isInTable(tables.get(host.name) ?? [], address),
    ) ?? true
  );
}

/** The longest prefix decides (pf.conf(5), "Tables"). */
function isInTable(entries: readonly string[], address: string): boolean {
  let best = { length: -1, isIn: false };
  for (const entry of entries) {
    const prefix = entry.replace(/^!/, '');
    const length = Number(prefix.split('/')[1]);
    if (length > best.length && isInsidePrefix(address, prefix)) best = { length, isIn: entry === prefix };
  }
  return best.isIn;
}
