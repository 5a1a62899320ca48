import { bundlePrograms } from '../../lab/runs/programs.ts';
import { openLane, type Lane } from './lane.ts';
import { runSequence } from './run-sequence.ts';

/**
 * `node tests/soak/sequences/index.ts [SECONDS] [SEED] [STEPS] [LANES] [MODES]`: random sequences against the model
 * until the time is over, one seed after the other, in so many laboratories at once, with the routing modes that are
 * named, e.g. `pac,app`, or with all; prints the seed of each. `npm run soak` runs it beside the rest.
 */
const [seconds = '600', first, length = '12', lanes = '2', named] = process.argv.slice(2);
const modes = named?.split(',') ?? [];

await bundlePrograms('helper');
const until = performance.now() + 1000 * Number(seconds);
let seed = first === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(first);
let [passed, failed] = [0, 0];

async function runLane(): Promise<void> {
  let lane: Lane | undefined;
  do {
    const mine = seed;
    seed += 1;
    try {
      lane ??= await openLane(modes);
      const steps = await runSequence(lane, mine, Number(length));
      passed += 1;
      console.log(`passed  sequence ${mine}: ${steps.length} steps`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  sequence ${mine}: ${error instanceof Error ? error.message : String(error)}`);
      // What is left of it is nobody's to go on with.
      await lane?.[Symbol.asyncDispose]();
      lane = undefined;
    }
  } while (performance.now() < until);
  await lane?.[Symbol.asyncDispose]();
}

await Promise.all(Array.from({ length: Number(lanes) }, runLane));
console.log(`${passed} sequences passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
