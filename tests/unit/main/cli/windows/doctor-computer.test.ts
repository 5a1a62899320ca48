import { expect, test } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import {
  checkThisComputer,
  type Computer,
} from '../../../../../src/main/cli/doctor/windows/this-computer.ts';

const usual: Computer = {
  interfaces: () => ({ Ethernet: [], Waymaker: [], 'Loopback Pseudo-Interface 1': [] }),
  isRunning: (service) => service === 'BFE',
};

const check = (changes: Partial<Computer> = {}) =>
  Object.fromEntries(
    checkThisComputer({ ...usual, ...changes }, createSay('en', 'windows')).map(
      ({ check: name, ...found }) => [name, found],
    ),
  );

test('no problem is found on a computer that is as it should be, with the helper’s own tunnel', () => {
  expect(check()).toEqual({ filter: { outcome: 'ok' }, 'other-vpn': { outcome: 'ok' } });
});

test('a filtering engine that is switched off is named, since the helper cannot start (WinDivert 367, GoodbyeDPI 752)', () => {
  const { filter } = check({ isRunning: () => false });
  expect(filter).toMatchObject({ outcome: 'problem', text: expect.stringContaining('BFE') });
  expect(check({ isRunning: () => undefined })['filter']).toEqual({ outcome: 'unknown' });
});

test('another program’s tunnel is named', () => {
  const { 'other-vpn': found } = check({ interfaces: () => ({ Ethernet: [], Tailscale: [] }) });
  expect(found).toMatchObject({ outcome: 'problem', text: expect.stringContaining('Tailscale') });
});
