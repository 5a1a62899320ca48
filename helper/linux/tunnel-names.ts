import type { RunCommand } from './command.ts';
import type { Held } from './held.ts';
import {
  areResolversSet,
  findNameServiceManager,
  isNameServiceRemembered,
  releaseResolvers,
  rememberNameService,
  setResolvers,
  undoNameService,
} from './name-service.ts';
import type { UndoRecord } from './undo-record.ts';

/** Who looks the machine's names up: the tunnel's resolvers, or whoever did before. */
export interface TunnelNames {
  /** Finds out what names are like now, without changing anything yet. */
  prepare(current: Held): Promise<void>;
  /** Remembers what names were like if somebody has changed that since, then makes the tunnel's the only ones. */
  apply(current: Held): Promise<void>;
  /** Does so once more where somebody else has written over it. */
  follow(current: Held): Promise<void>;
  /** Names are resolved as before the tunnel again. */
  release(current: Held): Promise<void>;
}

export function createTunnelNames(run: RunCommand, record: UndoRecord): TunnelNames {
  async function apply(current: Held): Promise<void> {
    const { names, configuration } = current;
    if (!names || !configuration) return;
    if (!(await isNameServiceRemembered(names.step))) {
      names.step = await rememberNameService(names.manager);
      await record.write(current);
    }
    const { dns } = configuration;
    if (dns.servers.length > 0) await setResolvers(run, names.manager, names.step, dns);
  }

  return {
    apply,
    async prepare(current) {
      if (current.names) return;
      const manager = await findNameServiceManager();
      current.names = { manager, step: await rememberNameService(manager) };
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
      if (names.step) await undoNameService(run, names.step);
      if (current.configuration) await releaseResolvers(run, names.manager);
      current.names = undefined;
      await record.write(current);
    },
  };
}
