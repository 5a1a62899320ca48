import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { staleStates } from '../../../../helper/macos/filter/stale-states.ts';
import { readPrefixList } from '../../../../helper/network/prefix-list.ts';
import { noNetworks } from '../../../../helper/network/nearby-networks.ts';

const own = { 4: '192.0.2.7', 6: '2001:db8:1::7' } as const;
/** Few different ones, so that they meet. */
const number = fc.constantFrom(0, 1, 127, 128, 255);
const ipv4 = fc.tuple(number, number).map(([one, two]) => `198.51.${one}.${two}`);
const ipv6 = fc
  .tuple(number, number)
  .map(([one, two]) => `2001:db8:2::${one.toString(16)}:${two.toString(16)}`);
const prefixes = fc.array(
  fc.oneof(
    fc.tuple(ipv4, fc.integer({ min: 8, max: 32 })).map((parts) => parts.join('/')),
    fc.tuple(ipv6, fc.integer({ min: 40, max: 128 })).map((parts) => parts.join('/')),
  ),
  { maxLength: 4 },
);

test('a state is stale if it leads to what is captured, and to no exception of it', () => {
  const found = new Set<boolean>();
  fc.assert(
    fc.property(prefixes, prefixes, fc.oneof(ipv4, ipv6), (include, exclude, destination) => {
      const source = own[destination.includes(':') ? 6 : 4];
      const state = { source, destination };
      const stale = staleStates([state], {
        captures: [
          {
            kind: 'prefixes',
            include: readPrefixList(include),
            exclude: readPrefixList(exclude),
            exceptLocalNetworks: false,
          },
        ],
        gateway: undefined,
        maxSegment: undefined,
        tunnelAddresses: [],
        awaitedAddresses: [],
        allowIncoming: false,
        networks: noNetworks,
        resolvers: [],
        proxyPort: undefined,
        owner: undefined,
        groupResolvers: undefined,
        fromStartOn: false,
      });
      const isIn = (list: readonly string[], address: string) =>
        list.some((one) => isInsidePrefix(address, one));
      const isStale = [source, destination].some((one) => isIn(include, one) && !isIn(exclude, one));
      expect(stale).toEqual(isStale ? [state] : []);
      found.add(isStale);
    }),
  );
  expect(found.size).toBe(2);
});
