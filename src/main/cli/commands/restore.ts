import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readPeerProcess } from '#node/os/peer-process.ts';
import { readEnvironment } from '../../environment.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { helperProgram } from '../helper-program.ts';

/** The helper ends its engine and its proxy itself; after this time, it is killed. */
const stopMs = 15_000;
/** A helper that was asked to end is not started again, so that the second try should succeed. */
const maxTries = 3;

/**
 * For users who are cut off and have no helper to ask: undoes everything in the helper's journal, and unblocks traffic,
 * using the helper's own program. A running helper is only stopped with `isForced`, because the user can ask it to
 * disconnect instead.
 */
export async function restore(
  context: CommandContext,
  { isForced, stateDirectory }: { isForced: boolean; stateDirectory: string | undefined },
): Promise<ExitCode> {
  const { terminal, say, env, platform } = context;
  if (process.getuid?.() !== 0)
    throw new CommandProblem(exitCode.failed, 'not-root', say('command.restoreNeedsRoot'));
  const { helperSocket } = readEnvironment(env, platform);
  const program = helperProgram();
  if (program === undefined)
    throw new CommandProblem(exitCode.unavailable, 'helper-absent', say('cause.helperAbsent'));
  const folder = stateDirectory === undefined ? [] : ['--state-dir', path.resolve(stateDirectory)];
  const args = [program, '--restore', '--socket', path.resolve(helperSocket), ...folder];
  for (let tried = 1; ; tried += 1) {
    const running = await processOn(helperSocket, platform);
    if (running !== undefined) {
      if (!isForced)
        throw new CommandProblem(exitCode.failed, 'helper-running', say('command.restoreHelperRuns'));
      await stop(running);
    }
    const { code, output } = await runProgram(args, env);
    if (code === 0) break;
    // After a crash, the service manager starts a helper again, which may have come first.
    if (tried < maxTries && (await processOn(helperSocket, platform)) !== undefined) continue;
    // For people who are asked for help.
    terminal.note(output.trimEnd());
    throw new CommandProblem(exitCode.failed, 'not-restored', say('command.restoreFailed'));
  }
  if (context.isJson) terminal.out(JSON.stringify({ restored: true }));
  else terminal.out(say('command.restored'));
  return exitCode.done;
}

async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** The process that listens on a socket; undefined if none does. */
async function processOn(socketPath: string, platform: NodeJS.Platform): Promise<number | undefined> {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect');
    return readPeerProcess(socket, platform)?.pid;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

async function stop(pid: number): Promise<void> {
  sendSignal(pid, 'SIGTERM');
  const giveUpAt = performance.now() + stopMs;
  while (sendSignal(pid, 0)) {
    if (performance.now() > giveUpAt) sendSignal(pid, 'SIGKILL');
    await delay(50);
  }
}

/** False if there is no such process any more. */
function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
