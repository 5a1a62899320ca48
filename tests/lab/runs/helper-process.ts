import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { controlGroupOf } from '../machine/control-groups.ts';
import type { Machine } from '../machine/machine.ts';
import { programFile } from './programs.ts';

export interface HelperProcess {
  readonly process: ChildProcess;
  /** Where the app finds it: `WAYMAKER_HELPER_SOCKET`. */
  readonly socket: string;
}

/**
 * Starts the helper on a machine, as root; resolves when it listens. All its files are in `directory`; `more`: further
 * options.
 */
export async function startHelperProcess(
  machine: Machine,
  directory: string,
  script = programFile('helper/index.ts'),
  more: readonly string[] = [],
): Promise<HelperProcess> {
  await mkdir(directory, { recursive: true });
  const socket = path.join(directory, 'helper.sock');
  const argv = [process.execPath, script, '--socket', socket, '--state-dir', path.join(directory, 'state')];
  const child = await machine.spawnUntil(
    [...argv, '--allow-user', '0', '--control-group', controlGroupOf(machine), ...more],
    /listening/,
  );
  return { process: child, socket };
}
