import { describe, expect, test } from 'vitest';
import { createRandom, hostileTargets, mutated, type HostileTarget } from './support/hostile-targets.ts';

/** For a short time; `npm run soak` does this for long, and follows what inputs reach. */

const runs = 200;

describe.each(Object.entries<HostileTarget>(hostileTargets))('%s', (_name, { seeds, run }) => {
  test('what it understands breaks nothing', () => {
    for (const seed of seeds) run(seed);
  });

  test('changed inputs break nothing', () => {
    const random = createRandom(0x5eed);
    for (let count = 0; count < runs; count += 1) {
      const input = mutated(seeds, random);
      try {
        run(input);
      } catch (error) {
        expect.fail(
          `${error instanceof Error ? (error.stack ?? error.message) : 'thrown'}\n${input.toString('hex')}`,
        );
      }
    }
  });
});
