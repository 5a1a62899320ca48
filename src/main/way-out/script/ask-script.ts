import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { findAddresses } from '../../gateway/find-addresses.ts';
import { sourceAddressTo } from '../../gateway/source-address.ts';
import { withTimeout } from '../../with-timeout.ts';
import type { ScriptQuestion, ScriptReply } from './evaluate-script.ts';
import { scriptLimits } from './script-limits.ts';
import type { ScriptThreadStart } from './script-thread.ts';

export type ScriptAnswers =
  | { ok: true; answers: ReadonlyMap<string, string | undefined>; problem: string | undefined }
  | { ok: false; why: string };

/**
 * Has a script (PAC) say how the hosts are reached, in a thread that is ended when it takes too long or too much
 * memory. The script can look up a limited number of names, and learns the addresses with which this computer reaches
 * others.
 */
export async function askScript(
  script: string,
  hosts: readonly string[],
  world: { find?: (name: string) => Promise<string[]>; own?: () => Promise<string[]>; limitMs?: number } = {},
): Promise<ScriptAnswers> {
  const { find = findAddresses, own = ownAddresses } = world;
  const over = AbortSignal.timeout(world.limitMs ?? scriptLimits.wholeMs);
  const { port1: port, port2 } = new MessageChannel();
  let worker: Worker | undefined;
  try {
    const start: ScriptThreadStart = {
      interpreter: new Uint8Array(await readFile(interpreterFile())),
      port: port2,
    };
    worker = new Worker(threadProgram(), {
      workerData: start,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: scriptLimits.heapMb },
      env: {},
    });
    const gone = new AbortController();
    const end = (error?: Error) => gone.abort(error ?? new Error('its thread has ended'));
    worker.once('error', end).once('exit', () => end());
    const until = AbortSignal.any([over, gone.signal]);
    const names = new Map<string, readonly string[]>();
    const question: ScriptQuestion = { script, hosts, own: await own(), names };
    for (let round = 0; round < scriptLimits.rounds; round += 1) {
      const answered = once(port, 'message', { signal: until });
      port.postMessage(question);
      const [reply] = (await answered) as [ScriptReply];
      if (reply.kind === 'answers') return { ok: true, answers: reply.answers, problem: reply.problem };
      const wanted = reply.names.filter((name) => !names.has(name)).slice(0, scriptLimits.names - names.size);
      const found = await Promise.all(
        wanted.map((name) =>
          withTimeout(
            find(name).catch(() => []),
            scriptLimits.lookUpMs,
            [],
          ),
        ),
      );
      for (const [index, name] of wanted.entries()) names.set(name, found[index] ?? []);
      if (wanted.length === 0) return { ok: false, why: 'it looks up too many names' };
    }
    return { ok: false, why: 'it looks up one name after another' };
  } catch (error) {
    return { ok: false, why: over.aborted ? 'it takes too long' : wordsOf(error) };
  } finally {
    port.close();
    await worker?.terminate();
  }
}

const wordsOf = (error: unknown) =>
  String(error instanceof Error && error.cause !== undefined ? error.cause : error).slice(0, 200);

/** In a bundle, it is beside that, or beside the folder of the bundle’s parts. */
function threadProgram(): string {
  const { dirname } = import.meta;
  const places = ['script-thread.ts', 'script-thread.js', '../script-thread.js'];
  const found = places.map((place) => path.join(dirname, place)).find((file) => existsSync(file));
  if (found === undefined) throw new Error('the program that evaluates scripts is not installed');
  return found;
}

const interpreterFile = () => createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');

/** Where the system would send packets to the internet from. */
async function ownAddresses(): Promise<string[]> {
  // Well-known addresses, as browsers use them for this
  // (https://chromium.googlesource.com/chromium/src/+/HEAD/net/docs/proxy.md).
  const found = await Promise.all([sourceAddressTo('8.8.8.8'), sourceAddressTo('2001:4860:4860::8888')]);
  return found.filter((address) => address !== undefined);
}
