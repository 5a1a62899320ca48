import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPrefix, parsePrefix, type Prefix } from '#shared/tunnel/prefix.ts';
import { halvesOf, subtractPrefixes } from '../../../../helper/network/subtract-prefixes.ts';

const read = (text: string): Prefix => parsePrefix(text) ?? expect.fail(text);
const subtract = (from: string[], others: string[]) =>
  subtractPrefixes(from.map(read), others.map(read)).map(formatPrefix);

test.each([
  [['0.0.0.0/0'], [], ['0.0.0.0/0']],
  [['0.0.0.0/0'], ['0.0.0.0/1'], ['128.0.0.0/1']],
  [['10.0.0.0/30'], ['10.0.0.1/32'], ['10.0.0.0/32', '10.0.0.2/31']],
  [['10.0.0.0/24', '10.0.1.0/24'], [], ['10.0.0.0/23']],
  [['10.0.0.0/24'], ['0.0.0.0/0'], []],
  [['10.0.0.0/24', '10.0.0.0/25'], ['10.0.0.128/25', '10.0.0.192/26'], ['10.0.0.0/25']],
  [['::/0'], ['8000::/1'], ['::/1']],
  [[], ['10.0.0.0/8'], []],
])('%j without %j is %j', (from, others, left) => {
  expect(subtract(from, others)).toEqual(left);
});

test('an address is in what is left if it is in the first prefixes and in none of the others', () => {
  // All in one /24, so that they meet.
  const address = fc.integer({ min: 0, max: 255 });
  const prefix = fc
    .tuple(address, fc.integer({ min: 24, max: 32 }))
    .map(([last, length]) => `192.0.2.${last}/${length}`);
  const isIn = (last: number, prefixes: readonly Prefix[]) => {
    const value = read(`192.0.2.${last}`).first;
    return prefixes.some(
      ({ first, length }) => value >> BigInt(32 - length) === first >> BigInt(32 - length),
    );
  };
  fc.assert(
    fc.property(fc.array(prefix), fc.array(prefix), (from, others) => {
      const left = subtractPrefixes(from.map(read), others.map(read));
      for (let last = 0; last < 256; last += 1)
        expect(isIn(last, left)).toBe(isIn(last, from.map(read)) && !isIn(last, others.map(read)));
      // None is in another, and no two make one.
      expect(subtractPrefixes(left, [])).toEqual(left);
    }),
    { numRuns: 50 },
  );
});

test('a prefix has two halves, and a single address none', () => {
  expect(halvesOf(read('10.0.0.0/8'))?.map(formatPrefix)).toEqual(['10.0.0.0/9', '10.128.0.0/9']);
  expect(halvesOf(read('10.0.0.1'))).toBeUndefined();
  expect(halvesOf(read('::1'))).toBeUndefined();
});
