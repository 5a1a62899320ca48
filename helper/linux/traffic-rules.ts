import { existsSync } from 'node:fs';
import type { Connection } from '../system-adapter.ts';
import { allDone } from './all-done.ts';
import { runOrThrow, type RunCommand } from './command.ts';
import { filterOf, type Accounts, type Held } from './held.ts';
import { ipBatch, ipRemovalBatch } from './ip-batch.ts';
import { packetFilterScript } from './nftables.ts';
import { routingChange, type Family, type PolicyRouting } from './policy-routing.ts';

export const hasIpv6 = () => existsSync('/proc/self/net/if_inet6');

/** The IP versions that this machine has. */
export const families = (): Family[] => (hasIpv6() ? [4, 6] : [4]);

/** Puts the packet filter of a connection in force, in place of the one before; `current`: what is set up of it. */
export async function applyFilter(
  run: RunCommand,
  connection: Connection,
  accounts: Accounts,
  current?: Held,
): Promise<void> {
  await runOrThrow(run, 'nft', ['-f', '-'], packetFilterScript(filterOf(connection, accounts, current)));
}

/** Puts the routing rules of `after` in force, where those of `before` are. */
export async function changeRules(
  run: RunCommand,
  before: PolicyRouting,
  after: PolicyRouting,
): Promise<void> {
  await allDone(
    families().map(async (family) => {
      const { added, removed } = routingChange(family, before, after);
      if (added !== '') await ipBatch(run, added, family);
      if (removed !== '') await ipRemovalBatch(run, removed, family);
    }),
  );
}
