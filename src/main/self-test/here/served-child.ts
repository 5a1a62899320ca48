import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { newPairingCode } from '../far-side/pairing.ts';
import { serveSelfTests } from '../far-side/serve.ts';
import { innerWords } from '../inner-words.ts';
import type { SelfTestHere } from '../self-test.ts';

const readyWord = 'serving';
const startMs = 20_000;

/** Serves this very computer's self-test at one of its addresses, from another process. Rejects if it cannot. */
export async function serveFromChild(address: string): Promise<{ code: string; close(): void }> {
  const code = newPairingCode();
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1] ?? '', innerWords.served, address],
    { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true },
  );
  // Not as an argument, which others can read.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${code}\n`);
  const said = text(child.stderr);
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => line === readyWord && ready.resolve());
  const timer = setTimeout(() => ready.reject(new Error('it does not start')), startMs);
  child.once('error', ready.reject);
  child.once(
    'exit',
    () => void said.then((words) => ready.reject(new Error(words.trim() || 'it has ended'))),
  );
  try {
    await ready.promise;
  } finally {
    clearTimeout(timer);
  }
  return { code, close: () => child.kill('SIGKILL') };
}

/** The process itself. It ends with its standard input. */
export async function serveAsChild(
  address: string,
  { version, here }: { version: string; here: SelfTestHere },
): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  const [code] = (await once(lines, 'line')) as [string];
  const served = await serveSelfTests({
    code,
    version,
    address,
    openPacketSocket: (device) => here.openPacketSocket(device),
    onSession: () => undefined,
    onStranger: () => undefined,
  });
  process.stdout.write(`${readyWord}\n`);
  await once(lines, 'close');
  served.close();
  process.exit(0);
}
