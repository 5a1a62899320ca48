import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import path from 'node:path';
import type { Say } from '#shared/texts/say.ts';
import { openControlConnection, type ControlConnection } from '../control/control-connection.ts';
import { controlPlace } from '../control/control-place.ts';
import { withTimeout } from '../with-timeout.ts';
import { CommandProblem } from './command-context.ts';
import { exitCode } from './exit-code.ts';
import { userService } from './user-service.ts';

export interface ReachCoreOptions {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  profile: string;
  version: string;
  /** The daemon's log file. */
  logFile: string;
  say: Say;
}

const startMs = 30_000;
const pauseMs = 50;

/**
 * Connects to the process that runs the core; starts the daemon if there is none. Throws a `CommandProblem`, or the
 * system's error where there can be no data folder.
 */
export async function reachCore(options: ReachCoreOptions): Promise<ControlConnection> {
  const running = await findCore(options);
  if (running) return running;
  // A daemon would say so in a log that cannot be kept either.
  mkdirSync(options.profile, { recursive: true, mode: 0o700 });
  const isStarted = await userService(options)?.start(startMs);
  if (isStarted !== true) await startDaemonProcess(options);
  const giveUpAt = performance.now() + startMs;
  while (performance.now() < giveUpAt) {
    const started = await findCore(options);
    if (started) return started;
    await delay(pauseMs);
  }
  throw noCore(options);
}

const noCore = ({ say, logFile }: ReachCoreOptions) =>
  new CommandProblem(exitCode.failed, 'no-core', say('command.noCore', { file: logFile }));

/** Undefined if there is none. */
export async function findCore({
  env,
  platform,
  profile,
  version,
  say,
}: Omit<ReachCoreOptions, 'logFile'>): Promise<ControlConnection | undefined> {
  const connection = await openControlConnection({
    place: controlPlace(profile, { env, platform }),
    client: { name: 'waymaker-cli', version },
  });
  if (connection === 'incompatible')
    throw new CommandProblem(exitCode.failed, 'incompatible', say('command.oldCore'));
  return connection === 'absent' ? undefined : connection;
}

/** Detached, because it keeps the tunnel after this process and its terminal are gone. */
async function startDaemonProcess(options: ReachCoreOptions): Promise<void> {
  const [script = ''] = process.argv.slice(1);
  const { env, profile } = options;
  // A relative path would mean something else in another folder.
  const named = env['WAYMAKER_USER_DATA'] ? { WAYMAKER_USER_DATA: profile } : {};
  const child = spawn(process.execPath, [path.resolve(script), 'daemon'], {
    detached: true,
    // Not where the command was typed, or on Windows that drive: it could not be taken out any more.
    cwd: path.parse(process.execPath).root,
    env: { ...env, ...named },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Also sent if another process runs the core but does not answer yet, because the desktop app has just started.
  const ready = once(child, 'message').then(() => 'ready');
  const ended = once(child, 'exit').then(([code]) => (code === exitCode.done ? 'ready' : 'failed'));
  const outcome = await withTimeout(Promise.race([ready, ended]), startMs, 'failed');
  if (child.connected) child.disconnect();
  child.unref();
  if (outcome === 'failed') throw noCore(options);
}
