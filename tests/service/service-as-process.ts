import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const sources = path.resolve(import.meta.dirname, '../../src/service');

/** A process of this test run that says on its first line where it answers. */
export interface RunningProcess extends AsyncDisposable {
  /** The addresses on that line. */
  urls: string[];
  /** Ends it at once, wherever it is (SIGKILL). */
  kill(): Promise<void>;
}

/** Runs one of the service's programs, `index.ts` or `wordgate-process.ts`, until it answers. */
export async function startProgram(name: string, environment: NodeJS.ProcessEnv): Promise<RunningProcess> {
  const child = spawn(process.execPath, [path.join(sources, name)], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const { value: line } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const urls = String(line).match(/http:\/\/[\d.:]+/g) ?? [];
  if (urls.length === 0) {
    await kill();
    throw new Error(`${name} did not start: ${String(line)}`);
  }
  return { urls, kill, [Symbol.asyncDispose]: kill };
}
