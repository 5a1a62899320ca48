import { runSequence } from './run-sequence.ts';

/**
 * `node tests/soak/sequences/index.ts [SECONDS] [SEED] [STEPS]`: random sequences against the model until the time is over,
 * one seed after the other; prints the seed of each. `npm run soak` runs it beside the rest.
 */
const [seconds = '600', first, length = '12'] = process.argv.slice(2);

const until = performance.now() + 1000 * Number(seconds);
let seed = first === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(first);
let [passed, failed] = [0, 0];
do {
  try {
    const steps = await runSequence(seed, Number(length));
    passed += 1;
    console.log(`passed  sequence ${seed}: ${steps.length} steps`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  sequence ${seed}: ${error instanceof Error ? error.message : String(error)}`);
  }
  seed += 1;
} while (performance.now() < until);
console.log(`${passed} sequences passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
