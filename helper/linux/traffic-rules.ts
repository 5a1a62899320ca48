import { existsSync } from 'node:fs';
import { settleAll } from '../settle-all.ts';
import { runOrThrow, type RunCommand } from './command.ts';
import { filterOf, type Filtered } from '../system/applied-network.ts';
import { ipRemovalBatch, ipRulesBatch } from './ip-batch.ts';
import { packetFilterScript } from './nftables.ts';
import { routingChange, type Family, type PolicyRouting } from './policy-routing.ts';

export const hasIpv6 = () => existsSync('/proc/self/net/if_inet6');

/** The IP versions that this machine has. */
export const families = (): Family[] => (hasIpv6() ? [4, 6] : [4]);

/** Puts the packet filter of a connection in force, in place of the one before. */
export async function applyFilter(run: RunCommand, filtered: Filtered): Promise<void> {
  await runOrThrow(run, 'nft', ['-f', '-'], packetFilterScript(filterOf(filtered)));
}

/** Puts the routing rules of `after` in force, in place of those of `before`; of both some may be there, or none. */
export async function changeRules(
  run: RunCommand,
  before: PolicyRouting,
  after: PolicyRouting,
): Promise<void> {
  await settleAll(
    families().map(async (family) => {
      const { added, removed } = routingChange(family, before, after);
      if (added !== '') await ipRulesBatch(run, added, family);
      if (removed !== '') await ipRemovalBatch(run, removed, family);
    }),
  );
}
