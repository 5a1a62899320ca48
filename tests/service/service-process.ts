import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export const serviceEntry = path.resolve(import.meta.dirname, '../../src/service/index.ts');

/** The service as a process; its addresses are on the one line that it prints. */
export async function startProcess(environment: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [serviceEntry], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: line } = await lines.next();
  const [url, mailboxUrl] = String(line).match(/http:\/\/[\d.:]+/g) ?? [];
  if (!url || !mailboxUrl) throw new Error(`unexpected output: ${line}`);
  const output = (async () => {
    const more: string[] = [];
    for await (const next of lines) more.push(next);
    return more.join('\n');
  })();
  return { child, ended, output, url, service: { mailboxUrl } };
}
