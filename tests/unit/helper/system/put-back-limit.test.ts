import { expect, test } from 'vitest';
import { createPutBackLimit } from '../../../../helper/system/put-back-limit.ts';

/** What each of `times` (ms) is told to wait. */
function waits(times: readonly number[]): number[] {
  let now = 0;
  const limit = createPutBackLimit(() => now);
  return times.map((time) => {
    now = time;
    return limit.take().waitMs;
  });
}

test('a few changes are put back at once, more of them after a second', () => {
  const everyHalf = Array.from({ length: 8 }, (_, index) => index * 500);
  expect(waits(everyHalf)).toEqual([0, 0, 0, 0, 0, 0, 1_000, 500]);
  expect(waits([...everyHalf, 4_000]).at(-1)).toBe(0);
});

test('a program that keeps on changing is given way to for longer and longer, up to a minute', () => {
  let now = 0;
  const limit = createPutBackLimit(() => now);
  const paused: number[] = [];
  for (let change = 0; change < 30; change += 1) {
    const { waitMs } = limit.take();
    if (waitMs > 0) paused.push(waitMs / 1_000);
    now += Math.max(waitMs, 50);
  }
  expect(paused.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('after a quiet time, changes are put back at once again', () => {
  expect(waits([0, 1, 2, 3, 4, 5, 6, 70_000, 70_001])).toEqual([0, 0, 0, 0, 0, 0, 1_000, 0, 0]);
});
