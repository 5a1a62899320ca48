import { expect, onTestFinished, test } from 'vitest';
import { createPolledNetworks } from '../../../../../src/main/networks/polled-networks.ts';
import type { NetworkInUse } from '../../../../../src/main/networks/networks.ts';
import { isMetered } from '../../../../../src/main/networks/windows/metered.ts';

test.each([
  ['Fixed False\r\n', true],
  ['Variable False', true],
  ['Unrestricted True', true],
  ['Unrestricted False', false],
  ['Unknown False', false],
  ['', false],
  [undefined, false],
] as const)('a system that says %j is metered: %j', async (said, expected) => {
  expect(await isMetered(() => Promise.resolve(said))).toBe(expected);
});

test('Windows is asked once for each network whether it is metered, and what leads into a phone always is', async () => {
  const [home, train]: NetworkInUse[] = ['home', 'train'].map((id) => ({ network: { kind: 'wired' }, id }));
  let now: NetworkInUse | undefined = home;
  const answers = [true, false];
  const networks = createPolledNetworks(() => Promise.resolve(now), {
    isMetered: () => Promise.resolve(answers.shift() ?? Promise.reject(new Error('asked again'))),
  });
  onTestFinished(() => networks.close());
  expect([await networks.isMetered(), await networks.isMetered()]).toEqual([true, true]);
  now = train;
  expect(await networks.isMetered()).toBe(false);
  now = { network: { kind: 'other' }, id: 'phone', isMetered: true };
  expect(await networks.isMetered()).toBe(true);
  now = undefined;
  expect(await networks.isMetered()).toBe(false);
  expect(answers).toEqual([]);
});

test('a system that fails to say it is taken for one that is not', async () => {
  const networks = createPolledNetworks(() => Promise.resolve({ network: { kind: 'wired' }, id: 'home' }), {
    isMetered: () => Promise.reject(new Error('no PowerShell')),
  });
  onTestFinished(() => networks.close());
  expect(await networks.isMetered()).toBe(false);
});
