import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createServiceClock } from '#shared/api/service-clock.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 26, 12);

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const answer = (date: string | null | undefined, sentAt: number, arrivedAt: number) => ({
  date,
  sentAt,
  arrivedAt,
  tookMs: arrivedAt - sentAt,
});

const dateOf = (time: number) => new Date(time).toUTCString();

test.each([
  ['right', 0, 0],
  ['some seconds ahead', -4000, 0],
  ['eight hours ahead', -8 * hour, -8 * hour],
  ['a day behind', 24 * hour, 24 * hour],
])(
  'the difference from the service’s clock is known on a computer whose clock is %s',
  (_, offset, expected) => {
    const clock = createServiceClock();
    clock.learn(answer(dateOf(start + offset), start - 200, start));
    expect(Math.abs(clock.offset() - expected)).toBeLessThan(1000);
    expect(Math.abs(clock.now() - start - expected)).toBeLessThan(1000);
  },
);

test.each([null, undefined, '', 'yesterday'])('an answer without a time says nothing: %j', (date) => {
  const clock = createServiceClock({ offset: hour });
  clock.learn(answer(date, start, start));
  expect(clock.offset()).toBe(hour);
});

test('an answer that a cache has kept says nothing, however old it is', () => {
  const clock = createServiceClock();
  for (const age of ['7200', '1', '', 'old'])
    clock.learn({ ...answer(dateOf(start - 2 * hour), start, start), age });
  expect(clock.offset()).toBe(0);
  clock.learn({ ...answer(dateOf(start - 2 * hour), start, start), age: '0' });
  expect(Math.abs(clock.offset() + 2 * hour)).toBeLessThan(1000);
});

test('an answer that takes long neither makes a right clock wrong nor a known offset another', () => {
  const clock = createServiceClock({ offset: hour });
  const told: number[] = [];
  clock.onChange((offset) => told.push(offset));
  clock.learn(answer(dateOf(start + hour - 15_000), start - 20_000, start));
  clock.learn(answer(dateOf(start + hour), start - 300, start));
  expect(told).toEqual([]);
  clock.learn(answer(dateOf(start), start - 300, start));
  expect(told).toEqual([0]);
});

test('a clock that is set in between is noticed where there is another one', () => {
  let steady = 0;
  const clock = createServiceClock({ steady: () => steady });
  const told: number[] = [];
  clock.onChange((offset) => told.push(offset));
  clock.learn(answer(dateOf(start), start, start));
  // Some time passes by both, during which the computer may sleep.
  steady += 5 * hour;
  vi.setSystemTime(start + 5 * hour);
  clock.check();
  expect(clock.now()).toBe(start + 5 * hour);
  vi.setSystemTime(start + 13 * hour);
  expect(clock.now()).toBe(start + 5 * hour);
  expect(told).toEqual([]);
  clock.check();
  expect(told).toEqual([-8 * hour]);
  vi.setSystemTime(start + 5 * hour);
  clock.check();
  expect(told).toEqual([-8 * hour, 0]);
});

test.each([8 * hour, -8 * hour])('an answer during which the clock was set by %i teaches nothing', (by) => {
  let steady = 0;
  const clock = createServiceClock({ steady: () => steady });
  clock.learn(answer(dateOf(start), start, start));
  steady += 200;
  vi.setSystemTime(start + 200 + by);
  clock.learn({ date: dateOf(start), sentAt: start, arrivedAt: start + 200 + by, tookMs: 200 });
  expect(clock.now()).toBe(start + 200);
});
