import path from 'node:path';
import { launchOpenconnect } from './engine/openconnect.ts';
import { createLog } from './log.ts';
import { createLogMemory } from './log-memory.ts';
import type { HelperOptions } from './options.ts';
import { findPlatform } from './platform.ts';
import { expectNoOtherHelper, startHelperServer } from './rpc/helper-server.ts';
import { createCoordinator } from './system/coordinator.ts';
import { createListJournal } from './system/list-journal.ts';
import { Tunnel } from './tunnel/tunnel.ts';

/** Beside the helper, in its source as well as in the bundle. */
const proxyScript = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'proxy/index.ts' : 'proxy.mjs',
);

/** Starts the helper: first undoes what an earlier one left, then listens. */
export async function startDaemon(options: HelperOptions): Promise<{ stop(): Promise<void> }> {
  const logMemory = createLogMemory();
  /** Whose connection it is, as soon as there can be one. */
  let owner: () => string | undefined = () => undefined;
  const log = createLog(undefined, (record) => logMemory.add(record.user ?? owner(), record));
  await expectNoOtherHelper(options.socket);
  const { engineUser, proxyUser, controlGroup, allowedUids, allowedGroup } = options;
  const platform = findPlatform();
  const adapter = createCoordinator({
    ports: platform.createPorts({ engineUser, proxyUser, proxyScript, controlGroup, log }),
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
