import type { ChildProcess } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Lab } from '../../../lab/lab.ts';
import { controlGroupOf } from '../../../lab/machine/control-groups.ts';
import { endProcess, eventually } from '../../../lab/runs/process.ts';
import { existsSync } from 'node:fs';
import { disconnectHelper } from './disconnect-helper.ts';
import { programFile } from '../../../lab/runs/programs.ts';

/** The privileged helper on the user's machine, run as root. */
export interface TestHelper {
  readonly socket: string;
  readonly stateDirectory: string;
  readonly runDirectory: string;
  readonly output: string;
  /** `args`: more options than those that say where it listens and who may call. */
  start(args?: readonly string[]): Promise<void>;
  /** SIGTERM: it disconnects and ends. */
  stop(): Promise<void>;
  /** SIGKILL: nothing is put back. */
  kill(): Promise<void>;
  /** Disconnects, whatever state the tunnel is in, and ends the helper. */
  end(): Promise<void>;
}

export async function prepareHelper(directory: string, lab: Lab): Promise<TestHelper> {
  const runDirectory = path.join(directory, 'run');
  const stateDirectory = path.join(directory, 'state');
  const socket = path.join(runDirectory, 'helper.sock');
  let child: ChildProcess | undefined;
  let output = '';

  async function start(args: readonly string[] = []): Promise<void> {
    await mkdir(runDirectory, { recursive: true });
    await rm(socket, { force: true });
    const files = ['--socket', socket, '--state-dir', stateDirectory];
    const own = [...files, '--allow-user', '0', '--control-group', controlGroupOf(lab.user)];
    const started = lab.user.spawn([process.execPath, programFile('helper/index.ts'), ...own, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const before = output.length;
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    await eventually('the helper listens', () => {
      if (started.exitCode !== null) throw new Error(`the helper ended: ${output}`);
      // A socket that is there is bound, and may not accept connections yet.
      return output.slice(before).includes('"listening"') || undefined;
    });
  }
  const end = async (signal: NodeJS.Signals) => {
    if (child) await endProcess(child, signal);
    child = undefined;
  };
  return {
    socket,
    stateDirectory,
    runDirectory,
    get output() {
      return output;
    },
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async end() {
      if (existsSync(socket)) {
        if (!child) await start();
        await disconnectHelper(socket);
      }
      await end('SIGTERM');
    },
  };
}
