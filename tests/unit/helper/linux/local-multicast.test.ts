import { expect, test } from 'vitest';
import { localMulticast } from '../../../../helper/network/local-traffic.ts';
import { noNetworks, type NearbyNetworks } from '../../../../helper/network/nearby-networks.ts';
import { readPrefixList } from '../../../../helper/network/prefix-list.ts';
import { rulesOf } from '../../../../helper/linux/routing/router-rules.ts';
import type { Capture } from '../../../../helper/modes/routing-plan.ts';

const accounts = { engine: { uid: 301, gid: 301 }, proxy: { uid: 302, gid: 302 } };
const home: NearbyNetworks = { ...noNetworks, local: ['192.168.37.0/24', 'fd00:37::/64'] };

/** The rules by which packets to many at once go where they would without a tunnel. */
function rulesToMany(capture: Capture, networks: NearbyNetworks, family: 4 | 6 = 4): string[] {
  const given = {
    capture,
    networks,
    gateway: { address: '203.0.113.1', port: 443 },
    tunnelAddresses: ['10.9.9.2'],
    resolvers: [],
    owner: '1000',
  };
  const to = localMulticast[4].map((prefix) => ` to ${prefix} lookup main`);
  return rulesOf(family, given, accounts, 5188).filter((rule) => to.some((end) => rule.endsWith(end)));
}

const captures = (exceptLocalNetworks: boolean): Capture[] => [
  { kind: 'everything', exceptLocalNetworks },
  { kind: 'group', exceptLocalNetworks },
  {
    kind: 'prefixes',
    include: readPrefixList(['0.0.0.0/0']),
    exclude: readPrefixList([]),
    exceptLocalNetworks,
  },
];

test.each(captures(true))(
  'with the local network open, programs that name no device find what is in it ($kind)',
  (capture) => {
    const rules = rulesToMany(capture, home);
    expect(rules).toHaveLength(localMulticast[4].length);
    // Of a group of programs, those of the group alone.
    for (const rule of rules) expect(rule.includes(' fwmark ')).toBe(capture.kind === 'group');
    // For IPv6, the kernel asks for a device, and looks in a table of its own.
    expect(rulesToMany(capture, home, 6)).toEqual([]);
    // What is local nowhere is refused by the filter there.
    expect(rulesToMany(capture, noNetworks)).toEqual([]);
  },
);

test.each(captures(false))('with the local network closed, nothing is told to it ($kind)', (capture) => {
  expect(rulesToMany(capture, home)).toEqual([]);
});
