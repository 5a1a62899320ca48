import { describe, expect, test } from 'vitest';
import { formatUsd } from '#shared/usd.ts';

describe('prices are USD as cents/100 with two decimals (specification §9)', () => {
  test.each([
    [0, 'en', '$0.00'],
    [5, 'en', '$0.05'],
    [999, 'en', '$9.99'],
    [120_000, 'en', '$1,200.00'],
    [999, 'zh-Hans', 'US$9.99'],
    [999, 'zh-Hant', 'US$9.99'],
  ])('%d cents in %s are %s', (cents, language, expected) => {
    expect(formatUsd(cents, language)).toBe(expected);
  });
});
