import path from 'node:path';
import { createJournal } from './system/journal.ts';
import { findGroup } from './linux/accounts.ts';
import { runCommand } from './linux/command.ts';
import { createLinuxAdapter } from './system/coordinator.ts';
import { createCallerIdentity } from './linux/caller-identity.ts';
import { journalEntry } from './system/journal-entry.ts';
import { createLog } from './log.ts';
import type { HelperOptions } from './options.ts';
import { expectNoOtherHelper, startHelperServer } from './rpc/helper-server.ts';
import { Tunnel } from './tunnel/tunnel.ts';

/** Beside the helper, in its source as well as in the bundle. */
const proxyScript = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'proxy/index.ts' : 'proxy.mjs',
);

/** Starts the helper: first undoes what an earlier one left, then listens. */
export async function startDaemon(options: HelperOptions): Promise<{ stop(): Promise<void> }> {
  const log = createLog();
  await expectNoOtherHelper(options.socket);
  const adapter = createLinuxAdapter({
    engineUser: options.engineUser,
    proxyUser: options.proxyUser,
    proxyScript,
    journal: createJournal(options.stateDirectory, journalEntry),
    run: runCommand,
    log,
  });
  const tunnel = new Tunnel(adapter, log);
  const [allowedGid] = await Promise.all([findGroup(options.allowedGroup), tunnel.recover()]);
  const server = await startHelperServer({
    socketPath: options.socket,
    callers: createCallerIdentity({ allowedUids: options.allowedUids, allowedGid }),
    tunnel,
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
