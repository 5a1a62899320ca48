import { spawn } from 'node:child_process';
import type { Log } from '../../log.ts';
import type { ProgramProcess, ProgramStdio } from '../../system/ports/engine-host-port.ts';
import type { ProcessLibraries } from '../calls/process-calls.ts';
import { startRestricted } from './restricted-process.ts';

/** What tells one of our programs that it has been started without rights, and cannot give up any. */
const restrictedWord = '--restricted';

/**
 * Starts one of our programs on this Node with as few rights as possible. Where the system does not allow that, as for
 * a helper that somebody else than the system runs, it is started as the helper's user, and gives up its rights itself.
 */
export function startProgram(
  nodeArguments: readonly string[],
  options: {
    program: string;
    args?: readonly string[];
    stdio: readonly ProgramStdio[];
    mayOutlive?: boolean;
    libraries?: ProcessLibraries | undefined;
    log: Log;
  },
): ProgramProcess {
  const { program, args = [], stdio, mayOutlive = false, libraries, log } = options;
  // Without it, Windows finds neither sockets nor random numbers.
  const env = { SystemRoot: process.env['SystemRoot'] ?? String.raw`C:\Windows` };
  try {
    const words = [...nodeArguments, program, restrictedWord, ...args];
    return startRestricted(process.execPath, words, {
      env,
      stdio,
      mayOutlive,
      ...(libraries && { libraries }),
      onNote: (note) => log.warn('a program has more rights than it needs', { note }),
    });
  } catch (error) {
    log.error('a program could not be started without rights, and is to give them up itself', error);
    return spawn(process.execPath, [...nodeArguments, program, ...args], {
      env,
      stdio: [...stdio],
      // Otherwise, Node has Windows end it with this process, however that ends.
      detached: mayOutlive,
      windowsHide: true,
    });
  }
}
