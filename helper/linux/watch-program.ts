import { spawn, type ChildProcess } from 'node:child_process';
import type { Log } from '../log.ts';
import { findProgram, programEnvironment } from './command.ts';

/** How long until another takes the place of a program that ended. */
const restartMs = 1_000;

/**
 * Runs a program that prints a line for each change, and calls back when a burst of them is over. The program is
 * started again whenever it ends, and ends with the helper, whatever ends that. Returns what ends the watch.
 */
export function watchProgram(options: {
  program: string;
  args: readonly string[];
  /** Only output that matches is a change; all of it if absent. */
  pattern?: RegExp;
  /** How long after a burst's first line to call back, so that a steady stream of changes delays nothing. */
  settleMs: number;
  /** Looks at all output as it comes. */
  inspect?: (text: string) => void;
  log: Log;
  onChange: () => void;
}): () => void {
  const { program, args, pattern, settleMs, inspect, log, onChange } = options;
  let settling: NodeJS.Timeout | undefined;
  let restarting: NodeJS.Timeout | undefined;
  let stopped = false;
  const changed = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      onChange();
    }, settleMs);
  };
  let child = start();

  function start(): ChildProcess | undefined {
    const [setpriv, file] = [findProgram('setpriv'), findProgram(program)];
    if (setpriv === undefined || file === undefined) {
      log.warn('a change of the system cannot be watched for', { program });
      return undefined;
    }
    const started = spawn(setpriv, ['--pdeathsig=KILL', '--', file, ...args], {
      cwd: '/',
      env: programEnvironment,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    started.stdout.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      inspect?.(text);
      if (pattern?.test(text) ?? true) changed();
    });
    started.once('error', (error) => log.error('the system cannot be watched', error, { program }));
    started.once('exit', () => {
      if (stopped) return;
      log.warn('a watch over the system ended; another begins', { program });
      restarting = setTimeout(() => {
        child = start();
        // Something may have changed meanwhile.
        changed();
      }, restartMs);
    });
    return started;
  }

  return () => {
    stopped = true;
    clearTimeout(settling);
    clearTimeout(restarting);
    child?.kill('SIGKILL');
  };
}
