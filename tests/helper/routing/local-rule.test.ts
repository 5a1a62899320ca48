import { expect, onTestFinished, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

const net = helperLabForEach();

const everything: Routing = { mode: 'global', localNetwork: false };
const families = ['-4', '-6'] as const;

/** As the kernel's documentation of VRFs has it, and those who set them up do (networking/vrf.rst). */
async function moveLocalRule(from = 0, to = 32765): Promise<void> {
  for (const family of families) {
    await net.lab.user.run(words(`ip ${family} rule add priority ${to} lookup local`));
    await net.lab.user.run(words(`ip ${family} rule del priority ${from} lookup local`));
  }
}

const rules = async () =>
  (await Promise.all(families.map((family) => net.lab.user.run(['ip', family, 'rule', 'show'])))).join('');

async function expectOwnAddressesHere(): Promise<void> {
  for (const own of ['127.0.0.1', '::1', addresses.user.ipv4])
    expect(await net.lab.user.run(['ip', 'route', 'get', own]), own).toContain(' dev lo ');
}

test('where the rule for this machine’s own addresses comes after ours, packets to them stay here', async () => {
  await moveLocalRule();
  onTestFinished(() => moveLocalRule(32765, 0));
  const client = await net.connect({ routing: everything, killSwitch: true });
  await expectOwnAddressesHere();
  expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  await client.call('disconnect', {});
  expect(await rules()).not.toContain('proto 87');
});

test('where it is moved while connected, too', async () => {
  await net.connect({ routing: everything, killSwitch: true });
  expect(await rules()).not.toContain('5169:');
  await moveLocalRule();
  onTestFinished(() => moveLocalRule(32765, 0));
  await expect.poll(rules, { timeout: waitLimit(20_000) }).toMatch(/5169:[^]*5169:/);
  await expectOwnAddressesHere();
  await expect
    .poll(() => net.lab.user.seenFrom(), { timeout: waitLimit(20_000), interval: 500 })
    .toBe(addresses.gateway.ipv4);
});
