import koffi from 'koffi';
import { afterEach, expect, test, vi } from 'vitest';
import { readTimeZoneAgain } from '../../../src/main/time-zone.ts';

const setInSystem = koffi.load(null).func('int setenv(const char *name, const char *value, int overwrite)');
const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
const hour = () => new Date(Date.UTC(2026, 10, 29)).getHours();

afterEach(() => {
  vi.unstubAllEnvs();
  readTimeZoneAgain();
});

test('another time zone of the system is found out, and not by itself', () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  expect([zone(), hour()]).toEqual(['Europe/Berlin', 1]);
  // As somebody on a journey would, or the system itself: without Node.
  setInSystem('TZ', 'Asia/Tokyo', 1);
  expect([zone(), hour()]).toEqual(['Europe/Berlin', 1]);
  readTimeZoneAgain();
  expect([zone(), hour()]).toEqual(['Asia/Tokyo', 9]);
});
