import { expect, test } from 'vitest';
import { isTrafficEnough } from '#shared/plan/trial-traffic.ts';

test.each([
  [{ rated: 1000, in: 300, out: 100 }, true],
  [{ rated: 1000, in: 300, out: 101 }, false],
  [{ rated: 1000, in: 0, out: 0 }, true],
  [{ rated: 0, in: 5000, out: 5000 }, true],
])(
  'spec §9: trial traffic is enough while (in+out)/rated <= 0.4, and rated 0 is unlimited: %j',
  (stats, enough) => {
    expect(isTrafficEnough(stats)).toBe(enough);
  },
);
