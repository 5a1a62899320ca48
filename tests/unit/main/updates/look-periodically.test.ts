import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lookPeriodically } from '../../../../src/main/updates/look-periodically.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000);
const day = 24 * 60;

function looking({ outcomes = [] as boolean[], online = [] as boolean[], random = 0.5 } = {}) {
  let looks = 0;
  const watch = lookPeriodically({
    look: () => {
      looks += 1;
      return Promise.resolve(outcomes.shift() ?? true);
    },
    isOnline: () => online.shift() ?? true,
    random: () => random,
  });
  return { looks: () => looks, watch };
}

test('the app looks for updates some minutes after the start, then once a day', async () => {
  const { looks, watch } = looking();
  await minutes(4);
  expect(looks()).toBe(0);
  await minutes(2);
  expect(looks()).toBe(1);
  await minutes(day - 10);
  expect(looks()).toBe(1);
  await minutes(20);
  expect(looks()).toBe(2);
  watch.stop();
  await minutes(3 * day);
  expect(looks()).toBe(2);
});

test('a day that the computer sleeps through counts, and a clock that is set back delays nothing', async () => {
  const { looks } = looking();
  await minutes(6);
  expect(looks()).toBe(1);
  // Timers stand still meanwhile.
  vi.setSystemTime(Date.now() + day * 60_000);
  expect(looks()).toBe(1);
  await minutes(16);
  expect(looks()).toBe(2);
  vi.setSystemTime(Date.now() - 30 * day * 60_000);
  await minutes(day - 10);
  expect(looks()).toBe(2);
  await minutes(20);
  expect(looks()).toBe(3);
});

test('not all computers look at the same time', async () => {
  const [early, late] = [looking({ random: 0 }), looking({ random: 0.99 })];
  await minutes(3);
  expect([early.looks(), late.looks()]).toEqual([1, 0]);
  await minutes(5);
  expect(late.looks()).toBe(1);
  await minutes(day * 0.6);
  expect([early.looks(), late.looks()]).toEqual([2, 1]);
});

test('after a failure it looks again soon, then less and less often, until it succeeds', async () => {
  const { looks } = looking({ outcomes: [false, false, true] });
  await minutes(6);
  expect(looks()).toBe(1);
  await minutes(30);
  expect(looks()).toBe(2);
  await minutes(50);
  expect(looks()).toBe(2);
  await minutes(20);
  expect(looks()).toBe(3);
  await minutes(day / 2);
  expect(looks()).toBe(3);
});

test('without a network nobody is asked, and soon after there is one, somebody is', async () => {
  const { looks } = looking({ online: [false, false] });
  await minutes(6);
  expect(looks()).toBe(0);
  await minutes(15);
  expect(looks()).toBe(0);
  await minutes(15);
  expect(looks()).toBe(1);
});
