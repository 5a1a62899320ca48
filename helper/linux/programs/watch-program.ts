import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Log } from '../../log.ts';
import { findProgram, programEnvironment } from '../../posix/command.ts';

/** The delay before a program that ended, could not be started, or is not installed any more is started again. */
const restartMs = 1_000;
/** How often, and how many times at most, to check whether a started program is listening. */
const listeningMs = 50;
const maxLooks = 200;
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
  log: Log;
  onChange: () => void;
}): () => void {
  const { program, args, pattern, settleMs, inspect, find = findProgram, log, onChange } = options;
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
    clearInterval(looking);
    restarting = setTimeout(start, restartMs);
    // Changes at its end may not have been reported.
    changed();
  }

  function awaitListening({ pid }: ChildProcess): void {
    clearInterval(looking);
    if (pid === undefined) return;
    let looks = 0;
    looking = setInterval(() => {
      looks += 1;
      if (!isListening(pid) && looks < maxLooks) return;
      clearInterval(looking);
      looking = setTimeout(changed, listensMs);
    }, listeningMs);
  }

  start();
  return () => {
    stopped = true;
    clearTimeout(settling);
    clearTimeout(restarting);
    clearInterval(looking);
    child?.kill('SIGKILL');
  };
}

/**
 * Whether a process has a netlink socket that has joined a group: the address of its first one is its pid (Linux,
 * net/netlink/af_netlink.c, netlink_autobind and netlink_seq_show).
 */
function isListening(pid: number): boolean {
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
