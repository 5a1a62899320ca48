import { isMainThread, workerData } from 'node:worker_threads';
import { parseArgs } from 'node:util';
import { outliveOutput } from '#node/os/standard-output.ts';
import type { DataPathStart } from '../engine/own/data-path/data-path.ts';
import { becomeUser } from './become-user.ts';
import { dataPathVariable } from './data-path-variable.ts';

/**
 * The program of our own engine, `node start-engine.ts --uid N --gid N`, started by the helper as root. It loads what
 * it needs, on two threads, and becomes that user before it reads or opens anything else: the user may not be allowed
 * to read these files. Becoming somebody else concerns all threads (nptl(7)).
 */
if (isMainThread) await main();
else (await import('../engine/own/data-path/data-path.ts')).runDataPath(workerData as DataPathStart);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { uid: { type: 'string' }, gid: { type: 'string' } } });
  // For people who look at what runs.
  process.title = 'waymaker-engine';
  outliveOutput();
  const { prepareEngine } = await import('../engine/own/process/prepare.ts');
  // The other thread loads its files on another processor, while this one loads the rest.
  const preparing = prepareEngine(import.meta.filename, process.env[dataPathVariable]);
  const { runEngine } = await import('../engine/own/process/run-engine.ts');
  const prepared = await preparing;
  becomeUser({ uid: readNumber(values.uid), gid: readNumber(values.gid) });
  runEngine(prepared);
}

function readNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,10}$/.test(text))
    throw new Error('--uid and --gid are needed, as numbers');
  return Number(text);
}
