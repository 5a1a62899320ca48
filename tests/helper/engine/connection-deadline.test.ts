import { expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

const net = helperLabForEach();

const soon = () => Date.now() + 500;
const later = () => Date.now() + 3_600_000;

test('a connection ends at its deadline, with nobody there to end it', async () => {
  const first = await net.attach();
  await first.call('connect', net.request({ deadline: { at: later(), reason: 'plan-ended' } }));
  await first.call('provideSession', { session: await net.signIn() });
  await first.until('connected');
  await first.call('setDeadline', { deadline: { at: soon(), reason: 'trial-ended' } });
  first[Symbol.dispose]();
  const second = await net.attach();
  await second.until('disconnected');
  expect(second.states.at(-1)).toEqual({ state: 'disconnected', reason: 'trial-ended' });
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

test('with the kill switch on, traffic stays blocked at the deadline', async () => {
  const client = await net.attach();
  const deadline = { at: later(), reason: 'trial-ended' } as const;
  await client.call('connect', net.request({ killSwitch: true, deadline }));
  await client.call('setDeadline', { deadline: { at: soon(), reason: 'plan-ended' } });
  expect(await client.until('disconnected', { seen: 1 })).toEqual({
    state: 'disconnected',
    reason: 'plan-ended',
    blocked: true,
  });
  expect(await net.lab.user.seenFrom()).toBeUndefined();
  await client.call('disconnect', {});
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
});

test('a deadline that has passed already ends the connection at once', async () => {
  const client = await net.attach();
  await client.call('connect', net.request({ deadline: { at: 1, reason: 'trial-ended' } }));
  expect(await client.until('disconnected', { seen: 1 })).toMatchObject({ reason: 'trial-ended' });
});

test('a deadline is that of one connection, not of the next', async () => {
  const client = await net.attach();
  await client.call('connect', net.request({ deadline: { at: later(), reason: 'trial-ended' } }));
  await client.call('disconnect', {});
  await expect(
    client.call('setDeadline', { deadline: { at: soon(), reason: 'trial-ended' } }),
  ).rejects.toMatchObject({ code: helperError.wrongState });
  // Long enough for a few calls to a helper, however busy the machine is.
  const deadline = { at: Date.now() + waitLimit(750), reason: 'trial-ended' } as const;
  await client.call('connect', net.request({ deadline }));
  const seen = client.states.length;
  await client.call('connect', net.request());
  await client.until('connecting', { seen });
  await client.call('setDeadline', { deadline: { ...deadline, reason: 'plan-ended' } });
  await client.call('setDeadline', { deadline: null });
  await new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, deadline.at + 700 - Date.now()));
  });
  expect(client.states.at(-1)).toMatchObject({ state: 'connecting', phase: 'authenticating' });
});
