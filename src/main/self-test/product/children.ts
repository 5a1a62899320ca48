import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Engine } from '../verdict.ts';

/** Where everything of a self-test is: in its own mounts, where nobody else has anything. */
export const places = {
  folder: '/run/self-test',
  home: '/run/self-test/home',
  temporary: '/run/self-test/tmp',
  state: '/run/self-test/state',
  socket: '/run/waymaker/helper.sock',
  profile: '/run/self-test/profile',
  authority: '/run/self-test/authority.pem',
} as const;

/** A program that was started, and what it has said. */
export interface Running {
  readonly child: ChildProcess;
  readonly lines: string[];
}

/** A log that is much longer is cut in the report in any case. */
const maxLines = 5_000;

const startMs = 20_000;

/** Starts a program of ours, and waits until a line of its output says that it is ready. */
async function start(
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; ready: RegExp; lines: string[] },
): Promise<Running> {
  const { lines, ready, env } = options;
  const child = spawn(process.execPath, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('it does not start')), startMs);
  const note = (line: string) => {
    lines.push(line);
    if (lines.length > maxLines) lines.shift();
    if (ready.test(line)) resolve();
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', note);
  child.on('error', reject);
  child.once('exit', (code, signal) => reject(new Error(`it has ended: ${code ?? signal}`)));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
  return { child, lines };
}

export function startHelper(options: {
  program: string;
  engine: Engine;
  controlGroup: string;
  env: NodeJS.ProcessEnv;
  lines: string[];
}): Promise<Running> {
  const { program, engine, controlGroup, env, lines } = options;
  const ours = `--socket ${places.socket} --state-dir ${places.state} --engine ${engine} --control-group ${controlGroup}`;
  return start([program, ...ours.split(' ')], { env, lines, ready: /"listening"/ });
}

/** The core, as `waymaker daemon` runs it. */
export const startCore = (options: {
  commandLine: string;
  env: NodeJS.ProcessEnv;
  lines: string[];
}): Promise<Running> =>
  start([options.commandLine, 'daemon'], {
    env: options.env,
    lines: options.lines,
    ready: /has the core/,
  });

export async function end({ child }: Running, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** The processes of an account, of those that this process can see: in its own namespace. */
export function processesOf(uid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return Number(/^Uid:\t(\d+)/m.exec(status)?.[1]) === uid && !/^State:\tZ/m.test(status);
      } catch {
        // It has ended meanwhile.
        return false;
      }
    });
}
