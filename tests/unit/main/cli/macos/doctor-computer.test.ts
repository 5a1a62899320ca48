import { expect, test } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import { checkThisComputer, type Computer } from '../../../../../src/main/cli/doctor/macos/this-computer.ts';

/** /etc/pf.conf as macOS 10.15 to 15 come with it. */
const applesRules = `scrub-anchor "com.apple/*"
nat-anchor "com.apple/*"
rdr-anchor "com.apple/*"
dummynet-anchor "com.apple/*"
anchor "com.apple/*"
load anchor "com.apple" from "/etc/pf.anchors/com.apple"
`;

const address = (family: 'IPv4' | 'IPv6', text: string) => ({
  address: text,
  family,
  netmask: '',
  mac: '',
  internal: false,
  cidr: null,
  scopeid: 0,
});

const usual: Computer = {
  run: (_, args) => Promise.resolve(args[1] === '_waymaker-engine' ? '499' : '498'),
  filterRules: () => Promise.resolve(applesRules),
  // As on any Mac: Apple's own services have tunnels.
  interfaces: () => ({
    en0: [address('IPv4', '192.168.1.7')],
    utun0: [address('IPv6', 'fe80::1')],
    utun1: [address('IPv6', 'fd12:3456:789a::1')],
    utun4: [address('IPv4', '192.0.2.7')],
  }),
};

const check = async (changes: Partial<Computer> = {}) =>
  Object.fromEntries(
    (await checkThisComputer({ ...usual, ...changes }, ['utun4'], createSay('en', 'macos'))).map(
      ({ check: name, ...found }) => [name, found],
    ),
  );

test('no problem is found on a Mac that is as it should be, with the helper’s own tunnel', async () => {
  const ok = { outcome: 'ok' };
  expect(await check()).toEqual({ users: ok, filter: ok, 'other-vpn': ok });
});

test('a missing account is named', async () => {
  const run: Computer['run'] = (_, args) =>
    args[1] === '_waymaker-proxy' ? Promise.reject(new Error('no such user')) : Promise.resolve('499');
  const { users } = await check({ run });
  expect(users).toMatchObject({ outcome: 'problem', text: expect.stringContaining('_waymaker-proxy') });
  expect(users?.text).not.toContain('_waymaker-engine');
});

test('rules that no longer ask Apple’s anchors are found, also where a comment still has the line', async () => {
  const changed = applesRules.replace('\nanchor "com.apple/*"', '\n# anchor "com.apple/*"');
  const { filter } = await check({ filterRules: () => Promise.resolve(changed) });
  expect(filter).toMatchObject({ outcome: 'problem', text: expect.stringContaining('/etc/pf.conf') });
  const unread = await check({ filterRules: () => Promise.resolve(undefined) });
  expect(unread['filter']).toEqual({ outcome: 'unknown' });
});

test('tunnels of other VPNs are found by addresses that Apple’s own do not have', async () => {
  const interfaces = (): ReturnType<Computer['interfaces']> => ({
    ...usual.interfaces(),
    utun5: [address('IPv4', '100.64.0.9')],
    utun6: [address('IPv6', '2001:db8::9')],
  });
  const { 'other-vpn': found } = await check({ interfaces });
  expect(found).toMatchObject({ outcome: 'problem', text: expect.stringContaining('utun5, utun6') });
});
