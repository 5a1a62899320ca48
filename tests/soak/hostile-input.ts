import { Session } from 'node:inspector/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  createRandom,
  hostileTargets,
  mutated,
  type HostileTarget,
} from '../unit/helper/engine/support/hostile-targets.ts';

/**
 * `node hostile-input.ts SECONDS [SEED]`: changed inputs for whatever of our own engine reads what strangers send, by
 * turns. An input that reaches code which none before has reached (V8's block coverage) is changed further.
 */
const seconds = Number(process.argv[2] ?? '60');
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));

/** So many inputs are tried between two looks at what they have reached, which takes milliseconds. */
const batch = 150;
const maxKept = 1_000;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

const reached = new Set<string>();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heapInUse = () => {
  collect();
  return process.memoryUsage().heapUsed;
};
/** What this script keeps itself, with room. */
const maxGrowth = 32 * 1024 * 1024;

/** How many blocks of the engine were reached since the last look for the first time. */
async function newBlocks(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const before = reached.size;
  for (const { url, functions } of result)
    if (url.includes('/helper/engine/'))
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0) reached.add(`${url}:${startOffset}-${endOffset}`);
  return reached.size - before;
}

interface Tried {
  runs: number;
  kept: Buffer[];
}

async function tryBatch(name: string, { run }: HostileTarget, tried: Tried): Promise<void> {
  const inputs = Array.from({ length: batch }, () => mutated(tried.kept, random));
  for (const input of inputs) attempt(name, run, input);
  tried.runs += batch;
  if ((await newBlocks()) === 0) return;
  // Which of them it was is not worth another run of each: a few of the batch are changed further.
  for (let count = 0; count < 5 && tried.kept.length < maxKept; count += 1) {
    const chosen = inputs[random(batch)];
    if (chosen) tried.kept.push(chosen);
  }
}

function attempt(name: string, run: HostileTarget['run'], input: Buffer): void {
  try {
    run(input);
  } catch (error) {
    console.log(`FAILED  hostile input for ${name}, seed ${seed}: ${input.toString('hex')}`);
    console.log(error);
    process.exit(1);
  }
}

const random = createRandom(seed);
const targets = Object.entries<HostileTarget>(hostileTargets);
const all = new Map<string, Tried>(targets.map(([name, { seeds }]) => [name, { runs: 0, kept: [...seeds] }]));
for (const [name, { seeds, run }] of targets) for (const input of seeds) attempt(name, run, input);
await newBlocks();
const before = reached.size;
const until = performance.now() + 1_000 * seconds;
let heapAtFirst: number | undefined;
while (performance.now() < until) {
  for (const [name, target] of targets) {
    const tried = all.get(name);
    if (tried) await tryBatch(name, target, tried);
  }
  await turn();
  // What is compiled and kept at the beginning is not growth.
  if (heapAtFirst === undefined && performance.now() > until - 750 * seconds) heapAtFirst = heapInUse();
}
const growth = heapInUse() - (heapAtFirst ?? Infinity);
if (growth > maxGrowth) {
  console.log(
    `FAILED  hostile input for our own engine: the heap has grown by ${growth} bytes, seed ${seed}`,
  );
  process.exit(1);
}
const runs = [...all.values()].reduce((sum, tried) => sum + tried.runs, 0);
console.log(
  `passed  hostile input for our own engine: ${runs} inputs, ${reached.size} blocks reached, ${before} of them by what it understands, seed ${seed}`,
);
