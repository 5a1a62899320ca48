import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

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

/** `args`: its command line. */
export const startHelper = (options: {
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  lines: string[];
}): Promise<Running> => start([options.program, ...options.args], { ...options, ready: /"listening"/ });

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

const endsMs = 5_000;

/** What does not end in time when it is asked to is killed. */
export async function end({ child }: Running, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), endsMs);
  await ended;
  clearTimeout(timer);
}
