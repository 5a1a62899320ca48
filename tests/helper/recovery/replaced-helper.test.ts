import { expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually } from '../../lab/runs/process.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { goOn, talkOnBoth } from '../support/programs/talk.ts';

/**
 * What becomes of programs' connections when a helper ends in order and another one takes its place, as in an upgrade.
 */

const net = helperLabForEach();

test('with the kill switch on, connections go on through the next helper’s tunnel, unless traffic is unblocked', async () => {
  const client = await net.connect({ killSwitch: true });
  const own = (await client.until('connected')).addresses;
  const talks = await talkOnBoth(net.lab.user, addresses.echo, 'waits');
  const capture = await net.lab.capture();
  await net.end('SIGTERM');
  await net.start();
  const next = await net.attach();
  const seen = next.states.length;
  // Nothing of them leaves while there is no tunnel, however often they try.
  await net.lab.user.probe.udp4('waits');
  await next.call('provideSession', { session: await net.signIn() });
  expect((await next.until('connected', { seen })).addresses).toEqual(own);
  await goOn(talks);

  await net.end('SIGTERM');
  expect(talks.some((one) => one.isOver())).toBe(false);
  await net.start();
  const last = await net.attach();
  await last.call('disconnect', {});
  await eventually('they have ended', () => talks.every((one) => one.isOver()) || undefined);
  expect(findLeaks(await capture.stop(), 'waits')).toEqual([]);
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);

  // The positive control: the same program's packets are seen while they are allowed.
  const control = await net.lab.capture();
  const direct = await talkOnBoth(net.lab.user, addresses.echo, 'waits');
  await goOn(direct);
  for (const one of direct) one.end();
  expect(findLeaks(await control.stop(), 'waits')).not.toEqual([]);
});

test('without the kill switch, connections left by a killed helper end when the next one starts', async () => {
  await net.connect();
  const talks = await talkOnBoth(net.lab.user, addresses.echo, 'killed');
  await net.end('SIGKILL');
  await net.start();
  await eventually('they have ended', () => talks.every((one) => one.isOver()) || undefined);
});

test('without the kill switch, connections end with the helper', async () => {
  await net.connect();
  const talks = await talkOnBoth(net.lab.user, addresses.echo, 'ends');
  await net.end('SIGTERM');
  await eventually('they have ended', () => talks.every((one) => one.isOver()) || undefined);
});
