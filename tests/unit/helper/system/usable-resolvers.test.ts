import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { usableResolvers } from '../../../../helper/system/usable-resolvers.ts';

const both = { ipv4: '198.51.100.130', ipv6: '2001:db8:2:100::7' };

const choose = (
  given: { pushed?: string[]; machine?: string[] },
  addresses: { ipv4?: string; ipv6?: string } = both,
) => {
  const { pushed = [], machine = [] } = given;
  return usableResolvers({ pushed, machine: async () => machine }, addresses);
};

test('the gateway’s resolvers come before the machine’s public ones', async () => {
  const all = { pushed: ['10.0.0.53'], machine: ['203.0.113.53'] };
  expect(await choose(all)).toEqual(['10.0.0.53']);
  expect(await choose({ ...all, pushed: [] })).toEqual(['203.0.113.53']);
  expect(await choose({})).toEqual([]);
});

test('a private resolver of the machine is on the near side of the tunnel', async () => {
  const machine = ['192.168.1.1', '10.1.1.1', '172.31.0.1', '100.64.0.1', 'fd00::1', '127.0.0.53', '::1'];
  expect(await choose({ machine })).toEqual([]);
  expect(await choose({ machine: [...machine, '2001:db8:3::53'] })).toEqual(['2001:db8:3::53']);
});

test('a resolver that leads to this machine, or of a family that the tunnel does not have, is not used', async () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const nobody = [
    ...own,
    '127.0.0.1',
    '0.0.0.0',
    '224.0.0.251',
    'fe80::53',
    'ff02::fb',
    both.ipv4,
    both.ipv6,
  ];
  expect(await choose({ pushed: nobody, machine: ['203.0.113.53'] })).toEqual(['203.0.113.53']);
  const pushed = ['2001:db8:2:1::65'];
  expect(await choose({ pushed, machine: ['203.0.113.53'] }, { ipv4: both.ipv4 })).toEqual(['203.0.113.53']);
  expect(await choose({ pushed }, { ipv4: both.ipv4 })).toEqual([]);
});

test('a resolver that is pushed twice is asked once', async () => {
  expect(await choose({ pushed: ['10.0.0.53', '10.0.0.53'] })).toEqual(['10.0.0.53']);
});
