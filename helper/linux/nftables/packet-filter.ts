import { randomBytes } from 'node:crypto';
import type { Log } from '../../log.ts';
import type { FilterRules, PacketFilter, SetOptions } from '../../system/ports/packet-filter-port.ts';
import type { PortalRules } from '../../system/ports/portal-port.ts';
import type { Accounts } from '../callers/accounts.ts';
import { watchFilter } from './filter-watch.ts';
import { filterTable } from '../identifiers.ts';
import { isForwarding } from '../forwarding.ts';
import { loadRules } from './libnftables.ts';
import { neededSets, type SetNames } from './prefix-chains.ts';
import {
  arpRemovalScript,
  holdScript,
  openPortalLine,
  packetFilterScript,
  removalScript,
} from './filter-script.ts';
import {
  addIntervals,
  countElements,
  elementsOf,
  hasElement,
  listFilter,
  rulesGeneration,
  type FilterListing,
} from './prefix-sets.ts';
import { intervalsOf } from './prefix-intervals.ts';

/** Of sets with more elements, only samples are checked, because counting them takes the kernel a second. */
const maxCounted = 10_000;
const samples = 16;
/**
 * With more elements, `nft monitor` takes longer to print them (5 µs each) than to be started again afterwards (10 ms).
 */
const maxPrinted = 2_000;

/** The content that a set has been filled with. */
interface Filled {
  elements: number;
  /** Some of its keys. */
  samples: Buffer[];
}

/** Nftables tables of our own, replaced as a whole, except for sets of prefixes that stay the same. */
export function createPacketFilter(parts: { accounts: Accounts; log: Log }): PacketFilter {
  const { accounts, log } = parts;
  let rules: FilterRules | undefined;
  let portal: PortalRules | undefined;
  /** What should be in force; undefined if nothing should. */
  let wanted: string | undefined;
  /** How the kernel lists that; undefined until it was checked. */
  let asListed: string | undefined;
  /** The rules' generation when it was last found in force. */
  let seenGeneration: number | undefined;
  /** The names of filled sets, by the digest of their content. */
  const names = new Map<string, string>();
  const filled = new Map<string, Filled>();
  /**
   * Whether the rules that were set last are in force, as far as is known: then they can stay while sets are filled.
   */
  let isInForce = false;
  const watch = watchFilter({ log, isLarge: () => [...filled.values()].some(isLarge) });

  const setNames: SetNames = (prefixes, family) => {
    const key = `${prefixes.digest}_${family}`;
    // Random, to differ from sets of another helper, which may still exist.
    const name = names.get(key) ?? `prefixes_${randomBytes(6).toString('hex')}`;
    names.set(key, name);
    return name;
  };

  async function load(given: FilterRules, script: string, { atOnce = false }: SetOptions = {}) {
    const needed = neededSets(given.captures, setNames);
    if (!isInForce) filled.clear();
    // Thousands of prefixes take a second, for which everything waits.
    if ((atOnce || !isInForce) && needed.some(({ name }) => !filled.has(name))) {
      isInForce = false;
      filled.clear();
      await loadRules(removalScript + holdScript({ ...given, portal }, surroundings()));
    }
    await fill(needed);
    const removal = needed.length > 0 ? await replacement(needed.map(({ name }) => name)) : removalScript;
    const opening = portal ? openPortalLine(portal, accounts.known) : '';
    await loadRules(removal + script + opening);
    isInForce = true;
    const isNeeded = (name: string) => needed.some((set) => set.name === name);
    for (const name of filled.keys()) if (!isNeeded(name)) filled.delete(name);
    for (const [key, name] of names) if (!isNeeded(name)) names.delete(key);
    watch.update();
  }

  /** Nothing refers to them yet. */
  async function fill(needed: ReturnType<typeof neededSets>): Promise<void> {
    for (const { name, family, prefixes } of needed) {
      if (filled.has(name)) continue;
      const version = family === 'ip' ? 4 : 6;
      const intervals = intervalsOf(prefixes.of[version], version);
      if (countElements(intervals) > maxPrinted) watch.pause();
      const type = family === 'ip' ? 'ipv4_addr' : 'ipv6_addr';
      const set = `inet ${filterTable} ${name}`;
      await loadRules(
        `add table inet ${filterTable}\nadd set ${set} { type ${type}; flags interval; }\nflush set ${set}\n`,
      );
      await addIntervals(name, intervals);
      const step = Math.max(1, Math.floor(intervals.length / samples));
      const count = Math.min(samples, intervals.length);
      filled.set(name, {
        elements: countElements(intervals),
        samples: Array.from({ length: count }, (_, index) => intervals.at(index * step).first),
      });
    }
  }

  /** Removes everything from the tables, whoever put it there, except for the sets that stay. */
  async function replacement(kept: readonly string[]): Promise<string> {
    const { chains = { inet: [] }, sets = [] } = (await listFilter()) ?? {};
    const remove = (kind: 'chain' | 'set', all: readonly string[]) =>
      all.map((name) => `delete ${kind} inet ${filterTable} ${name}\n`).join('');
    return [
      `table inet ${filterTable}\nflush table inet ${filterTable}\n`,
      remove('chain', chains.inet),
      remove(
        'set',
        sets.filter((name) => !kept.includes(name)),
      ),
      arpRemovalScript,
    ].join('');
  }

  const surroundings = () => ({ accounts: accounts.known, forwarding: isForwarding() });

  const scriptOf = (next: FilterRules) =>
    packetFilterScript({ ...next, portal }, surroundings(), { setNames, removal: '' });

  async function apply(next: FilterRules, options?: SetOptions): Promise<void> {
    await Promise.all([accounts.engine(), accounts.proxy()]);
    const script = scriptOf(next);
    if (script !== wanted || !isInForce) {
      await load(next, script, options);
      wanted = script;
      asListed = undefined;
    }
    rules = next;
  }

  async function hasElements(): Promise<boolean> {
    for (const [name, set] of filled) {
      if (isLarge(set)) {
        for (const key of set.samples) if (!(await hasElement(name, key))) return false;
      } else if ((await elementsOf(name)) !== set.elements) return false;
    }
    return true;
  }

  return {
    set: apply,
    async setPortal(next) {
      if (wanted === undefined || !rules) {
        if (next) throw new Error('there is no packet filter to let a portal through');
        return;
      }
      portal = next;
      await apply(rules);
    },
    async verify() {
      if (wanted === undefined) return 'unset';
      const generation = await rulesGeneration();
      if (asListed !== undefined && generation === seenGeneration) return 'in-force';
      const found = await listFilter();
      if (found === undefined) return 'changed';
      // The kernel lists rules in another form than ours: the first check counts what is there, and later ones compare
      // with that.
      if (asListed === undefined && hasAsMany(found, wanted)) asListed = found.digest;
      if (found.digest !== asListed || !(await hasElements())) return 'changed';
      seenGeneration = generation;
      return 'in-force';
    },
    async restore() {
      if (wanted === undefined || !rules) return;
      isInForce = false;
      names.clear();
      asListed = undefined;
      // Also if loading fails: then it counts as lost, not as unset.
      wanted = scriptOf(rules);
      await load(rules, wanted);
    },
    watch: (onChange) => watch.start(onChange),
    async clear() {
      rules = undefined;
      portal = undefined;
      wanted = undefined;
      isInForce = false;
      asListed = undefined;
      filled.clear();
      names.clear();
      await loadRules(removalScript);
    },
  };
}

const isLarge = ({ elements }: Pick<Filled, 'elements'>) => elements > maxCounted;

/** Whether a listing has every chain and set of the script, and as many rules. */
function hasAsMany(found: FilterListing, script: string): boolean {
  const lines = script.split('\n');
  const chains = lines.filter((line) => line.startsWith('  chain ')).length;
  const rules = lines.filter((line) => line.startsWith('    ') && !line.startsWith('    type ')).length;
  const sets = new Set(lines.filter((line) => line.startsWith('  set '))).size;
  const foundChains = Object.values(found.chains).flat().length;
  return foundChains === chains && found.sets.length === sets && found.rules === rules;
}
