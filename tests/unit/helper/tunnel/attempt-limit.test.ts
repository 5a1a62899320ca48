import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handshakeLimitMs, limitAttempt, reachLimitMs } from '../../../../helper/tunnel/attempt-limit.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An attempt that has so much time, with a gateway that takes so long to answer. */
function attempt(milliseconds: number, roundTrip = 0) {
  const [until, seen] = [new AbortController(), { over: 0, asked: 0 }];
  limitAttempt({
    milliseconds,
    roundTripMs() {
      seen.asked += 1;
      return Promise.resolve(roundTrip);
    },
    until: until.signal,
    onOver: () => (seen.over += 1),
  });
  return { seen, end: () => until.abort() };
}

test('an attempt is over after its time, and that of some answers of a slow gateway', async () => {
  const { seen: quick } = attempt(5_000);
  const { seen: slow } = attempt(5_000, 1_000);
  const { seen: ended, end } = attempt(5_000);
  end();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([quick.over, slow.over, ended.over]).toEqual([1, 0, 0]);
  await vi.advanceTimersByTimeAsync(6_000);
  expect([quick.over, slow.over, ended.over]).toEqual([1, 1, 0]);
});

// As in a virtual machine that is paused, or while the helper's memory is swapped.
test('what the helper stands still for is not the gateway’s time', async () => {
  vi.useRealTimers();
  const begun = performance.now();
  const { seen } = attempt(4_000);
  await delay(100);
  // Unlike a loop, this takes no processor time.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  await vi.waitFor(() => expect(seen.over).toBe(1));
  // Of the 5 s that it stood still, at most two count, however busy the machine is before and after them.
  expect(performance.now() - begun).toBeGreaterThan(6_500);
});

// Node's timers ring at once if they are to ring later than in 25 days, as after 19 rounds without the limit.
test('a gateway that was looked for all night is waited for as long as any, and not asked about all the time', async () => {
  expect([0, 1, 2, 3].map(reachLimitMs)).toEqual([5_000, 10_000, 20_000, 20_000]);
  const { seen } = attempt(reachLimitMs(40));
  await vi.advanceTimersByTimeAsync(handshakeLimitMs - 1);
  expect(seen).toEqual({ over: 0, asked: 0 });
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual({ over: 1, asked: 1 });
});
