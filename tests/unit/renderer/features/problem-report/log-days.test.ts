import { expect, test } from 'vitest';
import type { ConnectionLogEntry } from '#shared/tunnel/connection-log.ts';
import { logDays } from '../../../../../src/renderer/features/problem-report/log-days.ts';

const noon = new Date(2026, 10, 29, 12).getTime();
const hour = 3_600_000;
const entry = (at: number, kind: 'blocked' | 'unblocked' = 'blocked'): ConnectionLogEntry => ({
  at,
  event: { kind },
});
const keysOf = (entries: ConnectionLogEntry[]) =>
  logDays(entries).map((day) => day.entries.map(({ key }) => key));

test('the days of the log and what happened in them come newest first', () => {
  const days = logDays([entry(noon - 24 * hour), entry(noon), entry(noon + hour)]);
  expect(days.map(({ name }) => name)).toEqual([
    new Date(noon).toDateString(),
    new Date(noon - 24 * hour).toDateString(),
  ]);
  expect(days.map(({ entries }) => entries.map(({ at }) => at))).toEqual([
    [noon + hour, noon],
    [noon - 24 * hour],
  ]);
});

test('an entry keeps its key when another one comes before it on the page', () => {
  const before = [entry(noon), entry(noon + hour)];
  const [today] = keysOf(before);
  expect(keysOf([...before, entry(noon + 2 * hour)])[0]!.slice(1)).toEqual(today);
});

test('an entry keeps its key when the oldest one leaves the log that is full', () => {
  const all = [entry(noon), entry(noon + hour), entry(noon + 2 * hour)];
  const [today] = keysOf(all);
  expect(keysOf(all.slice(1))[0]).toEqual(today!.slice(0, 2));
});

test('entries of the same moment have keys of their own', () => {
  const [today] = keysOf([entry(noon), entry(noon, 'unblocked'), entry(noon)]);
  expect(new Set(today).size).toBe(3);
});
