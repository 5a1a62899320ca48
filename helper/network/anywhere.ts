import type { Family } from './prefix-list.ts';

/**
 * Addresses of the internet, to which nothing is sent (RFC 5737, RFC 3849, RFC 9637). Several, since people number
 * their own networks with one of these, as Docker's manual does: what leads there leads nobody's other packets away.
 */
export const anywhere: Readonly<Record<Family, readonly string[]>> = {
  4: ['192.0.2.1', '198.51.100.1', '203.0.113.1'],
  6: ['2001:db8::1', '3fff::1'],
};

/** The same of each quarter: other VPNs cut a default route into pieces, of which some win over ours. */
const quarters: Readonly<Record<Family, readonly (readonly string[])[]>> = {
  4: [
    // None of the first three quarters is for documentation.
    ['9.0.0.1', '23.0.0.1', '47.0.0.1'],
    ['71.0.0.1', '89.0.0.1', '101.0.0.1'],
    ['131.0.0.1', '150.0.0.1', '178.0.0.1'],
    anywhere[4],
  ],
  6: [anywhere[6]],
};

/**
 * Whether the routes of others win over ours, to the internet or a quarter of it, where both are in one table. `wayOf`: who
 * wins; undefined if none of ours leads to that address.
 */
export const isInternetLost = (wayOf: (address: string) => 'ours' | 'others' | undefined): boolean =>
  ([4, 6] as const).some((family) =>
    quarters[family].some((addresses) => {
      const ways = addresses.map((address) => wayOf(address));
      return ways.includes('others') && !ways.includes('ours');
    }),
  );
