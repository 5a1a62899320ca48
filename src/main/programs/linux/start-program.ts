import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ownEnvironment } from '../own-environment.ts';
import type { WaitingProgram } from '../programs-port.ts';

const waitAndRun = 'read -r _ && exec "$@" </dev/null';
/** How long this may take on a busy machine. */
const runsWithinMs = 5000;

/**
 * Starts a shell that waits for a line and is then replaced by the program. By then its process, and so every socket
 * that it will ever open, is where it belongs. It ends if this app ends first. The program gets no input and a session
 * of its own, so that it outlives this app.
 */
export async function startWaiting(
  command: readonly string[],
  { env, directory }: { env: NodeJS.ProcessEnv; directory: string },
): Promise<WaitingProgram | undefined> {
  const shell = spawn('/bin/sh', ['-c', waitAndRun, 'sh', ...command], {
    env: ownEnvironment(env),
    cwd: directory,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Writing to a pipe whose reader has ended fails.
  shell.stdin.on('error', () => undefined);
  try {
    await once(shell, 'spawn');
  } catch {
    return undefined;
  }
  const { pid } = shell;
  if (pid === undefined) return undefined;
  shell.unref();
  return {
    pid,
    async go() {
      shell.stdin.end('\n');
      const deadline = performance.now() + runsWithinMs;
      while (performance.now() <= deadline) {
        const running = await commandLineOf(pid);
        // A shell's exit codes for a program that it cannot run (POSIX, "Exit Status for Commands").
        if (hasEnded(shell)) return shell.exitCode !== 126 && shell.exitCode !== 127;
        // Empty while one program replaces another, and for a process whose end has not been reported yet.
        if (running !== '' && !running.includes(`\0${waitAndRun}\0`)) return true;
        await delay(10, undefined, { ref: false });
      }
      return false;
    },
    cancel: () => void shell.kill('SIGKILL'),
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

const commandLineOf = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
