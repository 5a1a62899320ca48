import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { readPrefixList } from '../../../../helper/network/prefix-list.ts';
import {
  addressText,
  capturedRanges,
  prefixesOf,
  rangeOf,
} from '../../../../helper/windows/address-ranges.ts';

/** Few addresses, so that prefixes overlap, touch and contain each other. */
const small = {
  4: (number: number, length: number) => `192.0.2.${number}/${24 + (length % 9)}`,
  6: (number: number, length: number) => `2001:db8::${number.toString(16)}/${120 + (length % 9)}`,
};

test('the captured prefixes contain all included addresses except the excluded ones, and no others', () => {
  const pair = fc.tuple(fc.nat(255), fc.nat(8));
  const list = fc.array(pair, { maxLength: 6 });
  fc.assert(
    fc.property(
      fc.constantFrom(4 as const, 6 as const),
      list,
      list,
      list,
      (family, include, exclude, local) => {
        const texts = (pairs: [number, number][]) =>
          pairs.map(([number, length]) => small[family](number, length));
        const lists = { include: texts(include), exclude: texts(exclude), local: texts(local) };
        const ranges = capturedRanges(
          { include: readPrefixList(lists.include), exclude: readPrefixList(lists.exclude) },
          family,
          lists.local,
        );
        const prefixes = prefixesOf(ranges, family);
        const [{ first } = { first: 0n }] = rangeOf(small[family](0, 0), family);
        for (let offset = 0n; offset < 256n; offset += 1n) {
          const address = addressText(first + offset, family);
          const isIn = (all: string[]) => all.some((prefix) => isInsidePrefix(address, prefix));
          const wanted = isIn(lists.include) && !isIn(lists.exclude) && !isIn(lists.local);
          expect(isIn(prefixes), address).toBe(wanted);
        }
      },
    ),
  );
});

test('everything is one prefix, and everything without one address is one prefix for each of its bits', () => {
  const everything = { include: readPrefixList(['0.0.0.0/0', '::/0']), exclude: readPrefixList([]) };
  expect(prefixesOf(capturedRanges(everything, 4), 4)).toEqual(['0.0.0.0/0']);
  expect(prefixesOf(capturedRanges(everything, 6), 6)).toEqual(['::/0']);
  expect(prefixesOf(capturedRanges(everything, 4, ['203.0.113.9/32']), 4)).toHaveLength(32);
  expect(prefixesOf(capturedRanges(everything, 6, ['2001:db8::9/128']), 6)).toHaveLength(128);
});
