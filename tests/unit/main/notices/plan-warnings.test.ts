import { expect, test } from 'vitest';
import { dueWarning } from '../../../../src/main/notices/plan-warnings.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 0, 1);
const due = (kind: 'trial' | 'plan', left: number) => dueWarning({ kind, at: now + left }, now)?.warning;

test('a plan’s end is said three days before, and one', () => {
  expect(due('plan', 3 * day + 1)).toBeUndefined();
  expect(due('plan', 3 * day)).toEqual({ amount: 3, unit: 'day' });
  expect(due('plan', day + 1)).toEqual({ amount: 3, unit: 'day' });
  expect(due('plan', day)).toEqual({ amount: 1, unit: 'day' });
});

test('a trial’s end is said a day before, and an hour', () => {
  expect(due('trial', day + 1)).toBeUndefined();
  expect(due('trial', day)).toEqual({ amount: 1, unit: 'day' });
  expect(due('trial', hour)).toEqual({ amount: 1, unit: 'hour' });
});

test('a plan or trial that has ended is not said to end', () => {
  expect(due('plan', 0)).toBeUndefined();
  expect(due('trial', -day)).toBeUndefined();
  expect(dueWarning(undefined, now)).toBeUndefined();
});

test('each warning of each end has a name of its own', () => {
  const name = (at: number, later = 0) => dueWarning({ kind: 'plan', at }, now + later)?.name;
  expect(name(now + 2 * day)).toBe(name(now + 2 * day, hour));
  expect(name(now + 2 * day)).not.toBe(name(now + 2 * day, day));
  expect(name(now + 2 * day)).not.toBe(name(now + 2 * day + 1));
});
