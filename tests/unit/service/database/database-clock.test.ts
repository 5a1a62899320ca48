import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { databaseClock } from '../../../../src/service/database/database-clock.ts';
import type { Database } from '../../../../src/service/database/database.ts';

const begun = Date.parse('2026-11-30T12:00:00.000Z');
const hourMs = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: begun });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database that tells its own time, which is ahead of this machine's wall clock, and how often it was asked. */
async function startClock({ aheadMs = 5_000 } = {}) {
  const told = { times: 0, aheadMs, isAway: false };
  const execute = () => {
    told.times += 1;
    if (told.isAway) return Promise.reject(new Error('the network is down'));
    return Promise.resolve({ rows: [{ ms: Date.now() + told.aheadMs }] });
  };
  const now = await databaseClock({ execute } as unknown as Database, () => undefined);
  return { now, told };
}

/** The machine is suspended: its wall clock goes on, and its monotonic clock does not. */
const suspend = (ms: number) => vi.setSystemTime(Date.now() + ms);

const answered = () => new Promise(setImmediate);

test('the database’s time goes on with this machine’s, and is asked for once a minute', async () => {
  const { now, told } = await startClock();
  vi.advanceTimersByTime(59_000);
  expect(now().getTime()).toBe(begun + 59_000 + 5_000);
  expect(told.times).toBe(1);
  told.aheadMs = 7_000;
  vi.advanceTimersByTime(1_000);
  now();
  await answered();
  expect(now().getTime()).toBe(begun + 60_000 + 7_000);
  expect(told.times).toBe(2);
});

test('after the machine was suspended, the time is asked for at once', async () => {
  const { now, told } = await startClock();
  vi.advanceTimersByTime(10_000);
  suspend(hourMs);
  now();
  await answered();
  expect(now().getTime()).toBe(begun + 10_000 + hourMs + 5_000);
  expect(told.times).toBe(2);
});

test('a database that cannot be asked after the machine was suspended is asked again within seconds', async () => {
  const { now, told } = await startClock();
  suspend(hourMs);
  told.isAway = true;
  for (let i = 0; i < 10; i += 1) {
    now();
    await answered();
  }
  expect(told.times, 'not for each call').toBe(2);
  told.isAway = false;
  vi.advanceTimersByTime(5_000);
  now();
  await answered();
  expect(now().getTime()).toBe(begun + hourMs + 5_000 + 5_000);
});
