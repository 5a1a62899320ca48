import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Log } from '../log.ts';
import type { FilterRules, PacketFilter, PortalRules } from '../system/ports.ts';
import type { Accounts } from './accounts.ts';
import { filterTable } from './identifiers.ts';
import { listTable, loadRules } from './libnftables.ts';
import { openPortalLine, packetFilterScript, removalScript } from './nftables.ts';
import { watchProgram } from './watch-program.ts';

/** A burst of `nft monitor` is one transaction; nothing is gained by waiting longer. */
const settleMs = 20;

/** A table as JSON: objects of one key each, which tells their kind (libnftables-json(5)). */
const listing = z.object({ nftables: z.array(z.record(z.string(), z.unknown())) });

/** One nftables table of our own, replaced as a whole. */
export function createPacketFilter(parts: { accounts: Accounts; log: Log }): PacketFilter {
  const { accounts, log } = parts;
  let rules: FilterRules | undefined;
  let portal: PortalRules | undefined;
  /** What is to be in force; undefined while nothing is. */
  let wanted: string | undefined;
  /** How the kernel describes that; undefined until it was looked at. */
  let asListed: string | undefined;

  async function load(script: string): Promise<void> {
    const opening = portal ? openPortalLine(portal, accounts.known) : '';
    await loadRules(script + opening);
  }

  async function apply(next: FilterRules): Promise<void> {
    await Promise.all([accounts.engine(), accounts.proxy()]);
    const surroundings = { accounts: accounts.known, forwarding: isForwarding() };
    const script = packetFilterScript({ ...next, portal }, surroundings);
    if (script !== wanted) {
      await load(script);
      wanted = script;
      asListed = undefined;
    }
    rules = next;
  }

  /** The table's content, without what differs each time it is loaded; undefined if there is no table. */
  async function list(): Promise<string | undefined> {
    const text = await listTable(filterTable);
    if (text === undefined) return undefined;
    const { nftables } = listing.parse(JSON.parse(text));
    return JSON.stringify(nftables, (key, value: unknown) =>
      // What a named set has in it goes by itself, in time.
      key === 'handle' || key === 'metainfo' || key === 'elem' ? undefined : value,
    );
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
      const found = await list();
      if (found === undefined) return 'changed';
      // The kernel's words differ from ours: the first look counts what is there, later ones compare with that.
      if (asListed === undefined && hasAsMany(found, wanted)) asListed = found;
      return found === asListed ? 'in-force' : 'changed';
    },
    async restore() {
      if (wanted !== undefined) await load(wanted);
    },
    watch: (onChange) =>
      watchProgram({
        program: 'nft',
        args: ['monitor'],
        pattern: new RegExp(`inet ${filterTable}\\b`),
        settleMs,
        log,
        onChange,
      }),
    async clear() {
      rules = undefined;
      portal = undefined;
      wanted = undefined;
      asListed = undefined;
      await loadRules(removalScript);
    },
  };
}

/** Whether a listing has every chain and set, and as many rules as the script that it is to come from. */
function hasAsMany(listed: string, script: string): boolean {
  const found = (JSON.parse(listed) as Record<string, unknown>[]).flatMap((entry) => Object.keys(entry));
  const lines = script.split('\n');
  const chains = lines.filter((line) => line.startsWith('  chain ')).length;
  const rules = lines.filter((line) => line.startsWith('    ') && !line.startsWith('    type ')).length;
  const count = (kind: string) => found.filter((one) => one === kind).length;
  const sets = lines.filter((line) => line.startsWith('  set ')).length;
  return count('chain') === chains && count('set') === sets && count('rule') === rules;
}

/** Whether the kernel forwards packets at all (for containers and virtual machines). */
function isForwarding(): boolean {
  return ['ipv4/ip_forward', 'ipv6/conf/all/forwarding'].some((name) => {
    try {
      return readFileSync(`/proc/sys/net/${name}`, 'utf8').trim() !== '0';
    } catch {
      return false;
    }
  });
}
