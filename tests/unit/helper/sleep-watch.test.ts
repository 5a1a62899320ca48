import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSleepWatch } from '../../../helper/sleep-watch.ts';

const minute = 60_000;
const lookMs = 5_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/**
 * A machine whose clocks the test sets: of timers, which stand still in a sleep or do not, and of the time since its
 * start.
 */
function watchedMachine() {
  const clock = { wall: Date.UTC(2026, 10, 27, 12), boot: 0 };
  let woken = 0;
  const watch = createSleepWatch({ wall: () => clock.wall, boot: () => clock.boot });
  watch.start(() => {
    woken += 1;
  });
  return {
    clock,
    watch,
    woken: () => woken,
    /** Looks are as late as on a machine that has much to do. */
    runs(milliseconds: number, lateMs = 0) {
      for (let left = milliseconds; left > 0; left -= lookMs) {
        clock.boot += lookMs + lateMs;
        vi.advanceTimersByTime(lookMs);
      }
    },
    sleeps(milliseconds: number) {
      clock.boot += milliseconds;
    },
  };
}

test('a machine that sleeps without a word is noticed when it wakes up, once', () => {
  const machine = watchedMachine();
  machine.runs(10 * minute);
  expect(machine.woken()).toBe(0);
  machine.sleeps(5 * minute);
  machine.runs(10 * minute);
  expect(machine.woken()).toBe(1);
  machine.sleeps(minute);
  machine.runs(minute);
  expect(machine.woken()).toBe(2);
});

test('a wake-up that the system tells of as well counts once, whichever is first', () => {
  const told = watchedMachine();
  told.sleeps(hourOf(8));
  told.watch.woken();
  told.runs(minute);
  expect(told.woken()).toBe(1);

  const noticed = watchedMachine();
  noticed.sleeps(hourOf(8));
  noticed.runs(lookMs);
  noticed.watch.woken();
  expect(noticed.woken()).toBe(1);
});

test('neither a busy machine nor a clock that is set counts as a sleep', () => {
  const machine = watchedMachine();
  machine.runs(minute, 20_000);
  machine.clock.wall += hourOf(3);
  machine.runs(minute);
  expect(machine.woken()).toBe(0);
});

const hourOf = (hours: number) => hours * 60 * minute;
