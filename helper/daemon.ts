import path from 'node:path';
import { launchOpenconnect } from './engine/openconnect.ts';
import { createLog, type Log } from './log.ts';
import { createLogMemory } from './log-memory.ts';
import type { HelperOptions } from './options.ts';
import { findPlatform } from './platform.ts';
import { expectNoOtherHelper, startHelperServer } from './rpc/helper-server.ts';
import { createCoordinator } from './system/coordinator.ts';
import { createListJournal } from './system/list-journal.ts';
import type { Ports } from './system/ports.ts';
import { Tunnel } from './tunnel/tunnel.ts';

/** Beside the helper, in its source as well as in the bundle. */
const proxyScript = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'proxy/index.ts' : 'proxy.mjs',
);

const createPorts = ({ engineUser, proxyUser, controlGroup }: HelperOptions, log: Log): Ports =>
  findPlatform().createPorts({ engineUser, proxyUser, proxyScript, controlGroup, log });

/**
 * Undoes what an earlier helper left, opens what it blocks, and ends: for whoever has no other way out. Rejects if a
 * helper is running, or if something could not be undone; that stays in the journal.
 */
export async function restoreSystem(options: HelperOptions): Promise<void> {
  const log = createLog();
  await expectNoOtherHelper(options.socket);
  const journal = createListJournal(options.stateDirectory);
  const ports = createPorts(options, log);
  const adapter = createCoordinator({ ports, journal, log });
  await adapter.recover();
  await adapter.release({ keepBlocking: false });
  // What a journal that was lost has said nothing of; the names of these are ours alone.
  await Promise.all([ports.filter.clear(), ports.router.clear()]);
  const left = await journal.read();
  if (left.kind !== 'empty') throw new Error('not all could be undone');
  log.info('all is undone');
}

/** Starts the helper: first undoes what an earlier one left, then listens. */
export async function startDaemon(options: HelperOptions): Promise<{ stop(): Promise<void> }> {
  const logMemory = createLogMemory();
  /** Whose connection it is, as soon as there can be one. */
  let owner: () => string | undefined = () => undefined;
  const log = createLog(undefined, (record) => logMemory.add(record.user ?? owner(), record));
  await expectNoOtherHelper(options.socket);
  const { allowedUids, allowedGroup } = options;
  const platform = findPlatform();
  const adapter = createCoordinator({
    ports: createPorts(options, log),
    journal: createListJournal(options.stateDirectory),
    log,
  });
  const tunnel = new Tunnel(adapter, launchOpenconnect, log);
  owner = () => tunnel.state.owner;
  const [callers] = await Promise.all([
    platform.createCallerIdentity({ allowedUids, allowedGroup }),
    tunnel.recover(),
  ]);
  const server = await startHelperServer({
    socketPath: options.socket,
    callers,
    tunnel,
    logMemory,
    log,
  });
  log.info('listening', { socket: options.socket });
  return {
    async stop() {
      await tunnel.shutDown();
      await server.close();
    },
  };
}
