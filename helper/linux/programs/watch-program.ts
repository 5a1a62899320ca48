import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pauseAfter } from '#shared/back-off.ts';
import type { Log } from '../../log.ts';
import { findProgram, programEnvironment } from '../../posix/command.ts';

/** The delay before a program that ended, could not be started, or is not installed any more is started again. */
const restartMs = 1_000;
/**
 * How often to check whether a started program is listening, and how many times until all is looked at without knowing.
 * From then on, it is checked less and less often: on a busy machine, a start has taken longer.
 */
const listeningMs = 50;
const looksAtFirst = 200;
const laterLooks = { firstMs: 1_000, maxMs: 60_000 } as const;
/** The delay of the callback after that, so that a connection in progress does not have to wait for it. */
const listensMs = 250;
/** How much of an unfinished line is kept to be matched together with the rest. */
const maxLine = 4_096;

/**
 * Runs a program that prints a line for each change that the kernel reports, and calls back when a burst of them is
 * over. The program is started again whenever it ends, and ends with the helper in any case. Changes while none is
 * listening are not reported, so it also calls back as soon as one listens. Returns a function that ends the watch.
 */
export function watchProgram(options: {
  program: string;
  args: readonly string[];
  /** Only output that matches is a change; all of it if absent. */
  pattern?: RegExp;
  /** The delay of the callback after a burst's first line, so that a steady stream of changes does not postpone it. */
  settleMs: number;
  /** Sees all output as it arrives. */
  inspect?: (text: string) => void;
  /** The program's file, or undefined if it is not installed. */
  find?: (program: string) => string | undefined;
  /** Whether a process listens, as far as that can be told. */
  isListening?: (pid: number) => boolean;
  log: Log;
  onChange: () => void;
}): () => void {
  const { program, args, pattern, settleMs, inspect, find = findProgram, log, onChange } = options;
  const { isListening = hasJoinedGroup } = options;
  let settling: NodeJS.Timeout | undefined;
  let restarting: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let stopped = false;
  let isMissing = false;
  let child: ChildProcess | undefined;
  const changed = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      onChange();
    }, settleMs);
  };

  function start(): void {
    const [setpriv, file] = [find('setpriv'), find(program)];
    if (setpriv === undefined || file === undefined) {
      // As long as it is removed, everything is looked at this often.
      if (!isMissing) log.warn('a change of the system cannot be watched for', { program });
      isMissing = true;
      startAgain();
      return;
    }
    isMissing = false;
    const started: ChildProcess = spawn(setpriv, ['--pdeathsig=KILL', '--', file, ...args], {
      cwd: '/',
      env: programEnvironment,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child = started;
    let line = '';
    // Without a free file descriptor, there is none.
    started.stdout?.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      inspect?.(text);
      if (pattern?.test(line + text) ?? true) changed();
      line = (line + text).split('\n').at(-1)?.slice(-maxLine) ?? '';
    });
    // A program that could not be started does not emit `exit`.
    started.once('error', (error) => {
      if (stopped) return;
      log.error('the system cannot be watched', error, { program });
      startAgain();
    });
    started.once('exit', () => {
      if (stopped) return;
      log.warn('a watch over the system ended; another begins', { program });
      startAgain();
    });
    awaitListening(started);
  }

  function startAgain(): void {
    clearTimeout(looking);
    restarting = setTimeout(start, restartMs);
    // Changes at its end may not have been reported.
    changed();
  }

  function awaitListening({ pid }: ChildProcess): void {
    clearTimeout(looking);
    if (pid === undefined) return;
    const look = (looks: number) => {
      if (isListening(pid)) {
        looking = setTimeout(changed, listensMs);
        return;
      }
      if (looks === looksAtFirst) changed();
      const pauseMs = looks < looksAtFirst ? listeningMs : pauseAfter(looks - looksAtFirst + 1, laterLooks);
      looking = setTimeout(look, pauseMs, looks + 1);
    };
    looking = setTimeout(look, listeningMs, 1);
  }

  start();
  return () => {
    stopped = true;
    clearTimeout(settling);
    clearTimeout(restarting);
    clearTimeout(looking);
    child?.kill('SIGKILL');
  };
}

/**
 * Whether a process has a netlink socket that has joined a group: the address of its first one is its pid (Linux,
 * net/netlink/af_netlink.c, netlink_autobind and netlink_seq_show).
 */
function hasJoinedGroup(pid: number): boolean {
  try {
    return readFileSync('/proc/self/net/netlink', 'utf8')
      .split('\n')
      .some((line) => {
        const [, , address, groups = '0'] = line.trim().split(/\s+/);
        return address === String(pid) && !/^0+$/.test(groups);
      });
  } catch {
    return false;
  }
}
