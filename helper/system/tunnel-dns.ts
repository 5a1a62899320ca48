import type { RunCommand } from '../linux/command.ts';
import type { Held } from './applied-network.ts';
import {
  areResolversSet,
  findDnsManager,
  isDnsRemembered,
  releaseResolvers,
  rememberDns,
  setResolvers,
  undoDns,
} from '../linux/dns-manager.ts';
import type { UndoRecord } from './undo-record.ts';

/** Who looks the machine's names up: the tunnel's resolvers, or whoever did before. */
export interface TunnelDns {
  /** Finds out what names are like now, without changing anything yet. */
  prepare(current: Held): Promise<void>;
  /** Remembers what names were like if somebody has changed that since, then makes the tunnel's the only ones. */
  apply(current: Held): Promise<void>;
  /** Does so once more where somebody else has written over it. */
  follow(current: Held): Promise<void>;
  /** Names are resolved as before the tunnel again. */
  release(current: Held): Promise<void>;
}

export function createTunnelDns(run: RunCommand, record: UndoRecord): TunnelDns {
  async function apply(current: Held): Promise<void> {
    const { names, configuration } = current;
    if (!names || !configuration) return;
    if (!(await isDnsRemembered(names.step))) {
      names.step = await rememberDns(names.manager);
      await record.write(current);
    }
    const { dns } = configuration;
    if (dns.servers.length > 0) await setResolvers(run, names.manager, names.step, dns);
  }

  return {
    apply,
    async prepare(current) {
      if (current.names) return;
      const manager = await findDnsManager();
      current.names = { manager, step: await rememberDns(manager) };
    },
    async follow(current) {
      const { configuration, names } = current;
      if (names && configuration?.dns.servers.length && !(await areResolversSet(names.step))) {
        await apply(current);
      }
    },
    async release(current) {
      const { names } = current;
      if (!names) return;
      if (names.step) await undoDns(run, names.step);
      if (current.configuration) await releaseResolvers(run, names.manager);
      current.names = undefined;
      await record.write(current);
    },
  };
}
