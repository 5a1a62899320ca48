import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { describeScene, sceneKinds, type Scene } from '../support/deaths/death-scenes.ts';
import { openDeaths, type Deaths } from '../support/deaths/deaths.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';

/** A few of what `npm run soak` does for each scene and moment (tests/soak/journal-deaths.ts), others each time. */

let deaths: Deaths;
beforeAll(async () => {
  deaths = await openDeaths('journal');
});
afterAll(() => deaths[Symbol.asyncDispose]());

/** Each scene has so many moments at least: before and after the journal is written or removed. */
const leastMoments = 2;

async function expectRightAfterDeath(scene: Scene, moment: number): Promise<void> {
  const what = `${describeScene(scene)}, moment ${moment}`;
  const outcome = await deaths.dieAt(scene, moment).catch((cause: unknown) => {
    throw new Error(what, { cause });
  });
  expect(outcome, what).toBe('died');
}

/** What is made, and what is changed. */
const usual = ['connect', 'change of the mode'];
const all = Object.entries(sceneKinds);

test.each(casesOf({ usual: all.filter(([kind]) => usual.includes(kind)), all }))(
  'a helper that is killed at a step of its journal leaves nothing open, and nothing behind (%s)',
  { timeout: waitLimit(60_000) },
  async (kind, those) => {
    const scene = those[randomInt(those.length)];
    if (!scene) throw new Error(`there is no scene of ${kind}`);
    await expectRightAfterDeath(scene, 1 + randomInt(leastMoments));
  },
);
