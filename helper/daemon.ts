import { createEngineChoice } from './engine/engine-choice.ts';
import { launchOpenconnect } from './engine/openconnect/openconnect.ts';
import { launchHolding, launchOwn } from './engine/own/launch-own.ts';
import { createLog, type Log } from './log.ts';
import { checkInstallation, type CheckedInstallation } from './check-installation.ts';
import { createLogMemory } from './log-memory.ts';
import type { HelperOptions } from './options.ts';
import { expectNoOtherHelper, startHelperServer } from './rpc/helper-server.ts';
import { createCoordinator } from './system/coordinator.ts';
import { leftOverSteps } from './system/journal/left-over-steps.ts';
import { createListJournal } from './system/journal/list-journal.ts';
import { becomeOnlyHelper } from './system/only-helper.ts';
import type { Platform } from './system/ports/platform.ts';
import { createSealedSecrets } from './system/sealed-secrets.ts';
import { undoSteps } from './system/journal/undo-steps.ts';
import { Tunnel } from './tunnel/tunnel.ts';

const launch = { openconnect: launchOpenconnect, own: launchOwn };

const becomeOnly = ({ socket, stateDirectory }: HelperOptions, platform: Platform, log: Log): Promise<void> =>
  becomeOnlyHelper({
    lock: () => platform.lockDirectory(stateDirectory),
    expectNoOtherHelper: () => expectNoOtherHelper(socket),
    log,
  });

/**
 * Undoes what an earlier helper left, unblocks traffic, and ends: for users without any other way out. Rejects if a
 * helper is running, or if something could not be undone; that stays in the journal.
 */
export async function restoreSystem(options: HelperOptions, platform: Platform): Promise<void> {
  const log = createLog();
  // Also keeps out a helper that the service manager starts again meanwhile.
  await becomeOnly(options, platform, log);
  // It starts no program of ours.
  const ports = platform.createPorts({ ...options, expectUnchanged: () => undefined, log });
  const journal = createListJournal(options.stateDirectory, ports.dns.undoSchema);
  const adapter = createCoordinator({ ports, journal, log });
  await adapter.recover();
  await adapter.release({ keepBlocking: false });
  // Things that a lost journal did not mention.
  const failed = ports.neverSet ? [] : await undoSteps(ports, log, await leftOverSteps(ports, log));
  const left = await journal.read();
  if (left.kind !== 'empty' || failed.length > 0) throw new Error('not all could be undone');
  log.info('all is undone');
}

/**
 * Starts the helper: undoes what an earlier one left, then listens. Rejects with `InstallationRefused` if its own files
 * are not those that were signed; what has to be blocked is blocked then. `checked` rejects likewise, if that is found
 * later, or if another file takes the place of one of them. `woken` is told when the machine has slept.
 */
export async function startDaemon(
  options: HelperOptions,
  platform: Platform,
  writeLog: (line: string) => void,
): Promise<{ stop(): Promise<void>; checked: Promise<never>; woken(): void }> {
  const logMemory = createLogMemory();
  /** The connection's owner, once there can be one. */
  let owner: () => string | undefined = () => undefined;
  const log = createLog(writeLog, (record) => logMemory.add(record.user ?? owner(), record));
  await becomeOnly(options, platform, log);
  const { allowedUsers, allowedGroup, ofSystem } = options;
  let installation: CheckedInstallation | undefined;
  const replaced = Promise.withResolvers<never>();
  replaced.promise.catch(() => undefined);
  const ports = platform.createPorts({
    ...options,
    expectUnchanged: () => installation?.expectUnchanged(replaced.reject),
    log,
  });
  const adapter = createCoordinator({
    ports,
    journal: createListJournal(options.stateDirectory, ports.dns.undoSchema),
    log,
  });
  const engines = createEngineChoice({
    setting: options.engine,
    launch,
    launchHolding: { own: launchHolding },
    isAvailable: (engine) => ports.engines.isAvailable(engine),
    log,
  });
  const tunnel = new Tunnel(adapter, engines, log);
  owner = () => tunnel.state.owner;
  const { stateDirectory } = options;
  const [callers, , checked] = await Promise.all([
    platform.createCallerIdentity({ allowedUsers, allowedGroup, ofSystem }),
    tunnel.recover(),
    // Said only once the traffic is blocked that has to be.
    settled(checkInstallation({ stateDirectory, log })),
  ]);
  installation = checked();
  const server = await startHelperServer({
    socketPath: options.socket,
    callers,
    tunnel,
    logMemory,
    sealedSecrets: createSealedSecrets({ directory: stateDirectory, files: platform.privateFiles, log }),
    log,
  });
  log.info('listening', { socket: options.socket });
  return {
    checked: Promise.race([installation.checkRuntime().then(() => replaced.promise), replaced.promise]),
    woken() {
      log.info('the computer has woken up');
      tunnel.renew();
    },
    async stop() {
      await tunnel.shutDown();
      await server.close();
    },
  };
}

/** Waits for a promise, and gives its outcome when that is asked for. */
async function settled<T>(promise: Promise<T>): Promise<() => T> {
  try {
    const value = await promise;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
