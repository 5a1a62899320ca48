import { describe, expect, test } from 'vitest';
import { rateBetween } from '../../../../src/renderer/features/connect/status/traffic-rate.ts';
import { formatPeriod } from '../../../../src/renderer/i18n/format-period.ts';
import {
  formatClockError,
  formatBytes,
  formatDate,
  formatDateTime,
  formatDay,
  formatDuration,
  formatTimeLeft,
} from '../../../../src/renderer/i18n/format.ts';

test.each([
  ['en', 'Today', 'Yesterday', 'November 21, 2026'],
  ['zh-Hans', '今天', '昨天', '2026年11月21日'],
  ['zh-Hant', '今天', '昨天', '2026年11月21日'],
])('days in %s', (language, today, yesterday, before) => {
  const now = new Date(2026, 10, 23, 0, 5);
  const at = (day: number, hour: number) => formatDay(new Date(2026, 10, day, hour), now, language);
  expect([at(23, 23), at(22, 1), at(21, 23)]).toEqual([today, yesterday, before]);
});

describe('bytes', () => {
  test.each([
    [0, '0 kB'],
    [1, '0 kB'],
    [450, '0.5 kB'],
    [1000, '1 kB'],
    [1500, '1.5 kB'],
    [9_960_000, '10 MB'],
    [54_300_000, '54 MB'],
    [999_400, '999 kB'],
    // Rounded, they have a digit more.
    [999_500, '1 MB'],
    [999_999_999, '1 GB'],
    [200_000_000_000, '200 GB'],
    [1.5e18, '1.5 EB'],
  ])('%d are %s', (bytes, expected) => {
    expect(formatBytes(bytes)).toBe(expected);
  });

  test('are written as Intl writes them in each language', () => {
    for (const language of ['en', 'zh-Hans', 'zh-Hant']) {
      const kilobytes = new Intl.NumberFormat(language, { style: 'unit', unit: 'kilobyte' });
      expect(formatBytes(2500)).toBe(kilobytes.format(2.5));
    }
  });

  test('per second', () => {
    expect(formatBytes(1_840_000, 'second')).toBe('1.8 MB/s');
    expect(formatBytes(0, 'second')).toBe('0 kB/s');
  });
});

describe('durations', () => {
  test.each([
    [0, '0:00:00'],
    [59.9, '0:00:59'],
    [3723, '1:02:03'],
    [86_400, '1 day 00:00:00'],
    [2 * 86_400 + 3723, '2 days 01:02:03'],
    [-5, '0:00:00'],
  ])('%d s are %s', (seconds, expected) => {
    expect(formatDuration(seconds, 'en')).toBe(expected);
  });

  test('days are said in the chosen language', () => {
    expect(formatDuration(86_400, 'zh-Hans')).toBe('1天 00:00:00');
  });
});

test.each([
  [2 * 86_400 + 3 * 3600 + 59, 'en', '2 days 3 hours'],
  [3 * 3600 + 125, 'en', '3 hours 2 minutes'],
  [3599, 'en', '0:59:59'],
  [-1, 'en', '0:00:00'],
  [86_400, 'zh-Hans', '1天0小时'],
])('%d s that are left are %s: %s', (seconds, language, expected) => {
  expect(formatTimeLeft(seconds, language)).toBe(expected);
});

test.each([
  [8 * 3_600_000, 'en', '8 hours'],
  [-100 * 60_000, 'en', '100 minutes'],
  [36 * 3_600_000, 'en', '36 hours'],
  [-400 * 86_400_000, 'en', '400 days'],
  // Without a battery, a clock begins in 1970.
  [56.9 * 365.25 * 86_400_000, 'en', '57 years'],
  [-56.9 * 365.25 * 86_400_000, 'zh-Hant', '57 年'],
])('a clock that is wrong by %d ms is so in %s: %s', (milliseconds, language, said) => {
  expect(formatClockError(milliseconds, language)).toBe(said);
});

test('dates are said in the chosen language', () => {
  const date = new Date(2026, 5, 9, 12);
  expect(formatDate(date, 'en')).toBe('June 9, 2026');
  expect(formatDate(date, 'zh-Hant')).toBe('2026年6月9日');
});

test.each([
  ['en', 'Jun 9, 2026, 6:05 AM'],
  ['zh-Hans', '2026年6月9日 06:05'],
  ['zh-Hant', '2026年6月9日 06:05'],
])('the time of day in %s', (language, expected) => {
  // Of the spaces that Intl writes, some are narrow and do not break.
  const said = formatDateTime(new Date(2026, 5, 9, 6, 5), language).replace(/\s/g, ' ');
  expect(said).toBe(expected);
});

describe('traffic per second', () => {
  const before = { total: { received: 1000, sent: 500 }, at: 0 };

  test('is what came since the last reading', () => {
    const now = { total: { received: 5000, sent: 500 }, at: 2000 };
    expect(rateBetween(before, now)).toEqual({ received: 2000, sent: 0 });
  });

  test('is nothing for the first second of a new tunnel, and without any time between', () => {
    expect(rateBetween(before, { total: { received: 10, sent: 10 }, at: 1000 })).toEqual({
      received: 0,
      sent: 0,
    });
    expect(rateBetween(before, { total: { received: 9000, sent: 9000 }, at: 0 })).toEqual({
      received: 0,
      sent: 0,
    });
  });
});

test.each([
  [365, '1 year', '1年'],
  [90, '3 months', '3个月'],
  [14, '2 weeks', '2周'],
  [31, '31 days', '31天'],
  // What is left of a plan that is shared by too many.
  [0, '0 days', '0天'],
])('a plan of %i days lasts %s', (days, english, chinese) => {
  expect([formatPeriod(days, 'en'), formatPeriod(days, 'zh-Hans')]).toEqual([english, chinese]);
});
