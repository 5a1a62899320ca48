import { describeScene, scenes } from '../helper/support/death-scenes.ts';
import { openDeaths, type Deaths } from '../helper/support/deaths.ts';
import { bundlePrograms } from '../lab/programs.ts';

/**
 * `node tests/soak/journal-deaths.ts [SECONDS] [WORD]`: kills the helper at each moment at which its journal changes, in
 * each scene whose description has the word, until the time is over. `npm run soak` runs it beside the rest.
 */
const [seconds = '600', word = ''] = process.argv.slice(2);

await bundlePrograms('helper');
const until = performance.now() + 1000 * Number(seconds);
let deaths: Deaths | undefined;
let [died, failed, whole] = [0, 0, 0];
// In another order each time, as the time may be over before the last.
const shuffled = scenes
  .filter((scene) => describeScene(scene).includes(word))
  .map((scene) => ({ scene, rank: Math.random() }))
  .sort((one, other) => one.rank - other.rank);
for (const { scene } of shuffled) {
  if (performance.now() > until) break;
  let moment = 0;
  for (let outcome = 'died'; outcome === 'died';) {
    moment += 1;
    try {
      deaths ??= await openDeaths();
      outcome = await deaths.dieAt(scene, moment);
      if (outcome === 'died') died += 1;
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${describeScene(scene)}, moment ${moment}: ${String(error)}`);
      await deaths?.[Symbol.asyncDispose]();
      deaths = undefined;
    }
  }
  whole += 1;
  console.log(`${describeScene(scene)}: ${moment - 1} moments`);
}
await deaths?.[Symbol.asyncDispose]();
console.log(`${whole} of ${shuffled.length} scenes, ${died} deaths passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
