import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPrefix, isInsidePrefix } from '#shared/tunnel/prefix.ts';
import {
  containsAddress,
  prefixesOf,
  prefixTexts,
  readPrefixList,
} from '../../../../helper/network/prefix-list.ts';

/** Few different ones, so that they meet. */
const number = fc.constantFrom(0, 1, 127, 128, 255);
const ipv4 = fc.tuple(number, number, number, number).map((parts) => parts.join('.'));
const ipv6 = fc
  .tuple(number, number, number)
  .map(
    ([one, two, three]) =>
      `20${one.toString(16).padStart(2, '0')}:${two.toString(16)}::${three.toString(16)}`,
  );
const prefix = fc.oneof(
  fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map((parts) => parts.join('/')),
  fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })).map((parts) => parts.join('/')),
);

test('an address is in a list if it is in one of its prefixes', () => {
  const found = new Set<boolean>();
  fc.assert(
    fc.property(fc.array(prefix, { maxLength: 6 }), fc.oneof(ipv4, ipv6), (prefixes, address) => {
      const list = readPrefixList(prefixes);
      const isIn = containsAddress(list, address);
      expect(isIn).toBe(prefixTexts(list).some((one) => isInsidePrefix(address, one)));
      found.add(isIn);
    }),
  );
  expect(found.size).toBe(2);
});

test('a list has the same prefixes as numbers and as text', () => {
  fc.assert(
    fc.property(fc.array(prefix, { maxLength: 6 }), (prefixes) => {
      const list = readPrefixList(prefixes);
      const numbers = [...prefixesOf(list, 4), ...prefixesOf(list, 6)];
      expect(numbers.map(formatPrefix)).toEqual(prefixTexts(list));
    }),
  );
});
