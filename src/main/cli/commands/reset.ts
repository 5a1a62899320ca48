import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { controlPlace } from '../../control/control-place.ts';
import { takeCoreFromDaemon } from '../../control/take-core.ts';
import { updatesFolder } from '../../control/updates-folder.ts';
import { homeFolder } from '#node/os/home-folder.ts';
import { removeLoginEntry } from '../../login-item/system-login-item.ts';
import { putBackProxies } from '../../system-proxy/put-back-proxies.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { userService } from '../user-service.ts';

/** How long the daemon has to end once it has given up the core. */
const endMs = 5000;

/**
 * Removes what belongs to this user alone: settings, sign-in, lists and logs; the packages and the helper stay. Asks
 * first, unless `isSure`. Disconnects, since nobody would know of the tunnel afterwards.
 */
export async function reset(context: CommandContext, { isSure }: { isSure: boolean }): Promise<ExitCode> {
  const { terminal, say, profile } = context;
  if (isAround(profile, homeFolder()))
    throw new CommandProblem(exitCode.failed, 'not-removed', say('command.resetUnsafe', { folder: profile }));
  if (!isSure && (await terminal.ask(say('command.resetQuestion', { folder: profile })))?.trim() !== 'yes')
    throw new CommandProblem(exitCode.failed, 'not-removed', say('command.resetNotDone'));
  const isThere = await lstat(profile).then(
    () => true,
    () => false,
  );
  if (isThere) await endCore(context);
  // They may be elsewhere than in the profile.
  await rm(updatesFolder(profile, context), { recursive: true, force: true, maxRetries: 3 });
  removeLoginEntry({ env: context.env, home: homeFolder() });
  if (context.isJson) terminal.out(JSON.stringify({ removed: isThere ? [profile] : [] }));
  else terminal.out(say('command.resetDone', { folder: profile }));
  return exitCode.done;
}

/** Whether a folder is the other one, or has it somewhere inside. */
function isAround(folder: string, other: string): boolean {
  const way = path.relative(folder, other);
  return way === '' || !(way.startsWith('..') || path.isAbsolute(way));
}

/** Signs out and ends what uses the folder, which is removed while nobody else can take the core. */
async function endCore(context: CommandContext): Promise<void> {
  const { say, profile, env, platform, version } = context;
  // If none can be started, what is left of it is removed all the same.
  const connection = await context.core().catch(() => undefined);
  if (connection?.core.kind === 'app')
    throw new CommandProblem(exitCode.failed, 'app-running', say('command.resetAppRuns'));
  await connection?.client.session.signOut({ by: 'user' });
  await userService(context)?.stop();
  const place = controlPlace(profile, { env, platform });
  const log = pino({ level: 'silent' });
  const lock = await takeCoreFromDaemon({ place, platform, version, log });
  try {
    if (connection) await ended(connection.core.pid);
    // It may have ended in the middle of that, and only the profile says what was there before.
    if (!(await putBackProxies({ profile, env, platform, log })))
      context.terminal.note(say('command.resetProxies'));
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  } finally {
    lock.release();
  }
}

/** A daemon that was started as a service goes on, and waits for its turn. */
async function ended(pid: number): Promise<void> {
  for (const giveUpAt = performance.now() + endMs; performance.now() < giveUpAt; await delay(20)) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
  }
}
