import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createLauncher, launcherCommand, type Launcher } from './launcher.ts';
import { waitFactor, waitLimit } from './wait-limit.ts';

export interface ProcessResult {
  /** Exit status, or null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ExecOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Milliseconds after which the process is killed, for an idle machine; 60,000 if absent. */
  readonly timeout?: number;
}

/** The words of a command line without quotes. */
export function words(text: string): string[] {
  return text.split(' ');
}

let here: { launcher: Launcher; environment: NodeJS.ProcessEnv } | undefined;

/** Runs a command to its end; an exit status other than 0 is a result, not an error. */
export async function exec(argv: readonly string[], options: ExecOptions = {}): Promise<ProcessResult> {
  here ??= { launcher: launcherHere(), environment: { ...process.env } };
  // The launcher has the variables of when it was started.
  const { environment } = here;
  const since = Object.entries(process.env).filter(([name, value]) => environment[name] !== value);
  return here.launcher.exec(argv, {
    ...options,
    env: { ...(Object.fromEntries(since) as Record<string, string>), ...options.env },
  });
}

function launcherHere(): Launcher {
  const directory = mkdtempSync(path.join(tmpdir(), 'waymaker-commands-'));
  const [file = '', ...args] = launcherCommand(directory);
  return createLauncher(() => spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] }), directory);
}

/** Runs a command that must succeed, and returns its standard output. */
export const run = (argv: readonly string[], options?: ExecOptions): Promise<string> =>
  runBy(exec, argv, options);

/** The same by another way to run a command. */
export async function runBy(
  by: typeof exec,
  argv: readonly string[],
  options?: ExecOptions,
): Promise<string> {
  const result = await by(argv, options);
  if (result.code !== 0) {
    throw new Error(`${argv.join(' ')} ended with ${result.code}: ${result.stderr || result.stdout}`);
  }
  return result.stdout;
}

/** The maximum time until a process is ready on an idle machine, in milliseconds. */
const readyTimeout = 30_000;

/**
 * Starts a process and resolves when its output (both streams together) matches; rejects if it ends before, or takes
 * too long.
 */
export async function startUntil(
  argv: readonly string[],
  ready: RegExp,
  options: SpawnOptions = {},
): Promise<ChildProcess> {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  await outputMatches(child, ready, argv.join(' '));
  return child;
}

const outputs = new WeakMap<ChildProcess, () => string>();

/**
 * All that a process of `startUntil` has written so far, both streams together. Whoever begins to listen when it is
 * ready misses what came in one piece with that.
 */
export const outputOf = (child: ChildProcess): string => outputs.get(child)?.() ?? '';

function outputMatches(child: ChildProcess, ready: RegExp, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${what} was not ready in time: ${output}`));
    }, waitLimit(readyTimeout));
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      outcome();
    };
    let isReady = false;
    outputs.set(child, () => output);
    // Continues to listen: a process whose output nobody reads blocks when the pipe is full.
    const onData = (chunk: Buffer) => {
      output += chunk.toString();
      if (isReady || !ready.test(output)) return;
      isReady = true;
      settle(resolve);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('error', (error) => settle(() => reject(error)));
    child.once('close', (code) =>
      settle(() => reject(new Error(`${what} ended with ${code} before ready: ${output}`))),
    );
  });
}

/** Ends a process with a signal and waits until it is gone. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/**
 * Asks repeatedly until there is an answer; rejects with `what` after `timeout` milliseconds, which are longer on a
 * busy machine.
 */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
  { timeout = 15_000, every = 20 } = {},
): Promise<Value> {
  const start = performance.now();
  let left = timeout;
  for (;;) {
    const asked = performance.now();
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (left < 0) throw new Error(`not within ${Math.round(performance.now() - start)} ms: ${what}`);
    // Who asks has at most half of a processor: what is waited for needs the rest.
    await delay(Math.max(every, performance.now() - asked));
    left -= (performance.now() - asked) / waitFactor();
  }
}

/**
 * When a process started, in clock ticks since boot, or undefined if it does not exist: field 22 of /proc/PID/stat
 * (proc(5)). Together with the pid it identifies a process, whereas a pid may be reused.
 */
export function processStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses, which can itself contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
