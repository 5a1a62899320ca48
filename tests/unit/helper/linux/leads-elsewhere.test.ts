import { expect, test } from 'vitest';
import { leadsElsewhere } from '../../../../helper/linux/routing/leads-elsewhere.ts';

/** A machine whose kernel leads what is in these networks to other devices, and everything else to `rest`. */
const machine =
  (rest: string | undefined, others: Readonly<Record<string, string>> = {}) =>
  async (address: string) => {
    const [, device = rest] = Object.entries(others).find(([start]) => address.startsWith(start)) ?? [];
    return device === undefined ? undefined : { device };
  };

/** Whether the tunnel has a route. */
const led = () => Promise.resolve(true);
const notLed = () => Promise.resolve(false);

test('another VPN leads the internet past the tunnel, by one IP version or by both', async () => {
  expect(await leadsElsewhere([4, 6], machine('wg0'), led)).toBe(true);
  expect(await leadsElsewhere([4, 6], machine('wm0', { '2001:': 'wg0', '3fff:': 'wg0' }), led)).toBe(true);
  expect(await leadsElsewhere([4, 6], machine('wm0'), led)).toBe(false);
  expect(await leadsElsewhere([4, 6], machine('wg0'), notLed)).toBe(true);
  // A tunnel without IPv6 refuses it.
  expect(await leadsElsewhere([6], machine(undefined), notLed)).toBe(false);
});

test.each<[string, Record<string, string>]>([
  ['a bridge of Docker’s, whose manual numbers one 2001:db8::/64', { '2001:db8::': 'lo' }],
  ['a network on the link that is numbered 192.0.2.0/24', { '192.0.2.': 'eth0' }],
  ['an internal network that is numbered 198.51.100.0/24', { '198.51.100.': 'virbr0' }],
])('%s leads no other packets away', async (_what, others) => {
  expect(await leadsElsewhere([4, 6], machine('wm0', others), led)).toBe(false);
  // Without the tunnel's route, ours refuse the rest.
  expect(await leadsElsewhere([4, 6], machine(undefined, others), notLed)).toBe(false);
});

test('a machine that discards what is sent to one of these addresses hides no other VPN', async () => {
  const behind = (device: string) => async (address: string) =>
    address.startsWith('192.0.2.') ? undefined : { device };
  expect(await leadsElsewhere([4], behind('wg0'), led)).toBe(true);
  expect(await leadsElsewhere([4], behind('wm0'), led)).toBe(false);
});
