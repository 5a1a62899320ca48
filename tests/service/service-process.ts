import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { programFile } from '../lab/runs/programs.ts';

/** A process of this test run that says on its first line where it answers. */
export interface RunningProcess extends AsyncDisposable {
  /** Where it answers. */
  url: string;
  /** Of the service in development. */
  service: { mailboxUrl: string | undefined };
  /** Leaves it no processor (SIGSTOP) until it is resumed, as a busy machine does for a while. */
  pause(): void;
  resume(): void;
  /** Asks it to end (SIGTERM); how it did, and what else it printed. */
  end(): Promise<{ code: number | null; output: string }>;
  /** Ends it at once, wherever it is (SIGKILL). */
  kill(): Promise<void>;
}

/** Starts one of the service's programs, `index.ts` or `wordgate-process.ts`, with nothing else in its environment. */
export function spawnProgram(name: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, [programFile(`src/service/${name}`)], {
    env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs one of them until it answers. */
export async function startProgram(name: string, environment: NodeJS.ProcessEnv): Promise<RunningProcess> {
  const child = spawnProgram(name, environment);
  child.stderr?.pipe(process.stderr);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const { value: line } = await lines.next();
  const output = (async () => {
    const more: string[] = [];
    for await (const next of lines) more.push(next);
    return more.join('\n');
  })();
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const end = async () => {
    child.kill('SIGTERM');
    const [code] = await ended;
    return { code, output: await output };
  };
  const [url, mailboxUrl] = String(line).match(/http:\/\/[\d.:]+/g) ?? [];
  if (url === undefined) {
    await kill();
    throw new Error(`${name} did not start: ${String(line)}`);
  }
  return {
    url,
    service: { mailboxUrl },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    end,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
