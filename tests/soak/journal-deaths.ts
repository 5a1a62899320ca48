import { describeScene, scenes } from '../helper/support/deaths/death-scenes.ts';
import { openDeaths, type Deaths } from '../helper/support/deaths/deaths.ts';
import { bundlePrograms } from '../lab/runs/programs.ts';

/**
 * `node tests/soak/journal-deaths.ts [SECONDS] [WORD…] [all]`: kills the helper at each moment at which its journal
 * changes, or any change of the system begins or ends, in each scene whose description has the words, until the time is
 * over. `npm run soak` runs it beside the rest.
 */
const [seconds = '600', ...more] = process.argv.slice(2);
const moments = more.includes('all') ? 'all' : 'journal';
const words = more.filter((word) => word !== 'all');

await bundlePrograms('helper');
const until = performance.now() + 1000 * Number(seconds);
let deaths: Deaths | undefined;
let [died, failed, whole] = [0, 0, 0];
// In another order each time, as the time may be over before the last.
const shuffled = scenes
  // `connect` is none of `disconnect`.
  .filter((scene) => words.every((word) => ` ${describeScene(scene)}`.includes(` ${word}`)))
  .map((scene) => ({ scene, rank: Math.random() }))
  .sort((one, other) => one.rank - other.rank);
for (const { scene } of shuffled) {
  let moment = 0;
  for (let outcome = 'died'; outcome === 'died' && performance.now() < until;) {
    moment += 1;
    try {
      deaths ??= await openDeaths(moments);
      outcome = await deaths.dieAt(scene, moment);
      if (outcome === 'died') died += 1;
    } catch (error) {
      failed += 1;
      console.log(
        `FAILED  ${describeScene(scene)}, moment ${moment}: ${String(error)}\n${(await deaths?.log()) ?? ''}`,
      );
      await deaths?.[Symbol.asyncDispose]();
      deaths = undefined;
    }
  }
  if (performance.now() > until) break;
  whole += 1;
  console.log(`${describeScene(scene)}: ${moment - 1} moments`);
}
await deaths?.[Symbol.asyncDispose]();
console.log(`${whole} of ${shuffled.length} scenes, ${died} deaths passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
