import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAlarm } from '../../../../../helper/engine/own/tunnel/alarm.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('an alarm rings when it is wanted first, and then when it is said', () => {
  const rung: number[] = [];
  const began = performance.now();
  const alarm = createAlarm((now) => {
    rung.push(now - began);
    return rung.length < 2 ? now + 50 : Infinity;
  });
  alarm.by(began + 300);
  alarm.by(began + 100);
  vi.advanceTimersByTime(1_000);
  expect(rung).toEqual([100, 150]);
  alarm.stop();
  alarm.by(began + 2_000);
  vi.advanceTimersByTime(5_000);
  expect(rung).toEqual([100, 150]);
});

// A gateway may want new keys in 30 years; Node's timers ring at once then (25 days are the longest).
test('an alarm that is wanted in years does not ring all the time', () => {
  let rung = 0;
  const far = performance.now() + 30 * 365 * 24 * 3_600_000;
  const alarm = createAlarm(() => {
    rung += 1;
    return far;
  });
  alarm.by(far);
  vi.advanceTimersByTime(24 * 3_600_000);
  expect(rung).toBe(0);
  alarm.stop();
});
