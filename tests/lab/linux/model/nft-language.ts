import { isIPv6 } from 'node:net';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import ipaddr from 'ipaddr.js';

/**
 * Scripts of nft(8) that the helper writes, and what the kernel decides by them about packets that programs of this
 * machine send. The chains for other packets are kept and asked nothing. A word that is not known here is an error.
 */

/** A packet on its way out. */
export interface SentPacket {
  source: string;
  destination: string;
  protocol: 'tcp' | 'udp';
  sourcePort: number;
  destinationPort: number;
  user: number;
  /** The device by which it is about to leave. */
  device: string;
}

export interface Chain {
  /** Undefined: only other chains lead to it. */
  hook: { name: string; priority: number; policy: 'accept' | 'drop' } | undefined;
  rules: string[];
}

export interface AddressSet {
  intervals: { first: bigint; end: bigint | undefined }[];
}

export interface Table {
  chains: Map<string, Chain>;
  sets: Map<string, AddressSet>;
}

export type Ruleset = Map<string, Table>;

const priorities: Readonly<Record<string, number>> = { raw: -300, mangle: -150, filter: 0, srcnat: 100 };

/** The ruleset after a script; the given one stays as it is. Throws if nft would refuse the script. */
export function runScript(before: Ruleset, script: string): Ruleset {
  const after: Ruleset = structuredClone(before);
  const lines = script.split('\n').map((line) => line.trim());
  const tableAt = (name: string): Table => {
    const found = after.get(name);
    if (!found) throw new Error(`there is no table ${name}`);
    return found;
  };
  const ensure = (name: string) => {
    if (!after.has(name)) after.set(name, { chains: new Map(), sets: new Map() });
  };
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const words = line.replace(/^add (?=table|set)/, '').split(/\s+/);
    const [verb = '', kind = '', family = '', table = '', name = ''] = words;
    const key = `${family} ${table}`;
    if (line === '') continue;
    if (verb === 'table') {
      const own = `${kind} ${family}`;
      ensure(own);
      if (line.endsWith('{')) readTable(lines, tableAt(own));
    } else if (verb === 'set') ensureSet(tableAt(`${kind} ${family}`), table);
    else if (verb === 'delete' && kind === 'table') {
      if (!after.delete(key)) throw new Error(`there is no table ${key}`);
    } else if (verb === 'flush' && kind === 'table') {
      for (const chain of tableAt(key).chains.values()) chain.rules = [];
    } else if (verb === 'flush' && kind === 'set') tableAt(key).sets.set(name, { intervals: [] });
    else if (verb === 'delete' && (kind === 'chain' || kind === 'set')) {
      const all = kind === 'chain' ? tableAt(key).chains : tableAt(key).sets;
      if (!all.delete(name)) throw new Error(`there is no ${kind} ${name}`);
    } else throw new Error(`the model does not know: ${line}`);
  }
  return after;
}

function ensureSet({ sets }: Table, name: string): void {
  if (!sets.has(name)) sets.set(name, { intervals: [] });
}

function readTable(lines: string[], table: Table): void {
  let chain: Chain | undefined;
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [word = '', name = ''] = line.split(/\s+/);
    if (line === '') continue;
    if (line === '}' && !chain) return;
    if (line === '}') chain = undefined;
    else if (chain && word === 'type') chain.hook = readHook(line);
    else if (chain) chain.rules.push(line);
    else if (word === 'set') ensureSet(table, name);
    else if (word === 'chain') {
      // A chain that is there already gets more rules.
      chain = table.chains.get(name) ?? { hook: undefined, rules: [] };
      table.chains.set(name, chain);
    } else throw new Error(`the model does not know: ${line}`);
  }
  throw new Error('a table without an end');
}

function readHook(line: string): Chain['hook'] {
  const found = /^type \w+ hook (\w+) priority (\w+)(?: ([+-]) (\d+))?; policy (accept|drop);$/.exec(line);
  const [, name = '', level = '', sign, distance = '0', policy] = found ?? [];
  const base = priorities[level];
  if (base === undefined || (policy !== 'accept' && policy !== 'drop'))
    throw new Error(`not a hook: ${line}`);
  return { name, priority: base + (sign === '-' ? -1 : 1) * Number(distance), policy };
}

/** Whether every chain of the hook lets a sent packet pass (nft(8), "Chains"). */
export function isLetOut(ruleset: Ruleset, packet: SentPacket): boolean {
  const bases = [...ruleset.entries()]
    .filter(([name]) => name.startsWith('inet '))
    .flatMap(([, table]) => [...table.chains.values()].map((chain) => ({ table, chain })))
    .filter(({ chain }) => chain.hook?.name === 'output')
    .sort((one, other) => (one.chain.hook?.priority ?? 0) - (other.chain.hook?.priority ?? 0));
  return bases.every(({ table, chain }) => {
    const verdict = walk(table, chain, packet) ?? chain.hook?.policy;
    return verdict === 'accept';
  });
}

function walk(table: Table, chain: Chain, packet: SentPacket): 'accept' | 'drop' | undefined {
  for (const rule of chain.rules) {
    const verdict = verdictOf(rule, table, packet);
    if (verdict === undefined) continue;
    if (verdict.kind !== 'goto') return verdict.kind;
    const next = table.chains.get(verdict.chain);
    if (!next) throw new Error(`there is no chain ${verdict.chain}`);
    // What comes back from there is not asked the rest of this chain.
    return walk(table, next, packet);
  }
  return undefined;
}

type Verdict = { kind: 'accept' | 'drop' } | { kind: 'goto'; chain: string };
type Condition = (table: Table, packet: SentPacket) => boolean;

const known = new Map<string, { conditions: Condition[]; verdict: Verdict }>();

/** Undefined if a condition does not hold. */
function verdictOf(text: string, table: Table, packet: SentPacket): Verdict | undefined {
  const rule = known.get(text) ?? readRule(text);
  known.set(text, rule);
  return rule.conditions.every((holds) => holds(table, packet)) ? rule.verdict : undefined;
}

const fields: Readonly<Record<string, (packet: SentPacket) => string | number | undefined>> = {
  oifname: ({ device }) => `"${device}"`,
  'ip daddr': ({ destination }) => (isIPv6(destination) ? undefined : destination),
  'ip saddr': ({ source }) => (isIPv6(source) ? undefined : source),
  'ip6 daddr': ({ destination }) => (isIPv6(destination) ? destination : undefined),
  'ip6 saddr': ({ source }) => (isIPv6(source) ? source : undefined),
  'meta l4proto': ({ protocol }) => protocol,
  'meta nfproto': ({ destination }) => (isIPv6(destination) ? 'ipv6' : 'ipv4'),
  'meta skuid': ({ user }) => user,
  'tcp dport': ({ protocol, destinationPort }) => (protocol === 'tcp' ? destinationPort : undefined),
  'tcp sport': ({ protocol, sourcePort }) => (protocol === 'tcp' ? sourcePort : undefined),
  'udp dport': ({ protocol, destinationPort }) => (protocol === 'udp' ? destinationPort : undefined),
  'udp sport': ({ protocol, sourcePort }) => (protocol === 'udp' ? sourcePort : undefined),
  'th dport': ({ destinationPort }) => destinationPort,
  // The first packet of a connection.
  'tcp flags & (syn | ack) ==': ({ protocol }) => (protocol === 'tcp' ? 'syn' : undefined),
  // None of the packets that are asked about.
  'icmpv6 type': () => undefined,
  'ip6 hoplimit': () => undefined,
};

function readRule(text: string): { conditions: Condition[]; verdict: Verdict } {
  const conditions: Condition[] = [];
  for (let rest = text; ;) {
    const verdict = readVerdict(rest);
    if (verdict) return { conditions, verdict };
    const name = Object.keys(fields).find((field) => rest.startsWith(`${field} `));
    const value = name && /^(!= )?(\{[^}]*\}|\S+) /.exec(rest.slice(name.length + 1));
    if (name === undefined || !value) throw new Error(`the model does not know: ${rest}`);
    const [whole, negation, wanted = ''] = value;
    const field = fields[name];
    conditions.push((table, packet) => {
      const found = field?.(packet);
      return found !== undefined && isOneOf(String(found), wanted, table) === (negation === undefined);
    });
    rest = rest.slice(name.length + 1 + whole.length);
  }
}

function readVerdict(text: string): Verdict | undefined {
  if (text === 'accept') return { kind: 'accept' };
  if (text === 'drop' || /^reject with (?:tcp reset|icmpx admin-prohibited)$/.test(text))
    return { kind: 'drop' };
  const chain = /^goto (\w+)$/.exec(text)?.[1];
  return chain === undefined ? undefined : { kind: 'goto', chain };
}

function isOneOf(found: string, wanted: string, { sets }: Table): boolean {
  if (wanted.startsWith('@')) {
    const set = sets.get(wanted.slice(1));
    if (!set) throw new Error(`there is no set ${wanted}`);
    const value = BigInt(`0x${Buffer.from(ipaddr.parse(found).toByteArray()).toString('hex')}`);
    return set.intervals.some(({ first, end }) => value >= first && (end === undefined || value < end));
  }
  const all = wanted.startsWith('{')
    ? wanted
        .slice(1, -1)
        .split(',')
        .map((one) => one.trim())
    : [wanted];
  return all.some((one) => one === found || (one.includes('/') && isInsidePrefix(found, one)));
}
