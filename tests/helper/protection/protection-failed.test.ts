import { expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { createAdministrator } from '../../lab/machine/administrator.ts';
import { watchLeaks } from '../../lab/packets/watch-leaks.ts';
import { run, words } from '../../lab/runs/process.ts';
import { labWithFailingPrograms } from '../support/failures/lab-with-failing-programs.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

const { net, programs } = labWithFailingPrograms({ isPutBack: true });

if (isExhaustive)
  test('where the packet filter cannot be had, the routing alone blocks, and is looked at before that is said', async () => {
    const leaksWhile = await watchLeaks(net.lab);
    const session = await net.signIn();
    const client = await net.attach();
    await programs.plan({ first: 1, how: 'refuses', program: 'nft' });
    await client.call('connect', net.request({ session, killSwitch: true }));
    expect(await client.until('disconnected', { seen: 1 })).toMatchObject({ blocked: true });
    expect(await leaksWhile(async () => expect(await net.lab.user.seenFrom()).toBeUndefined())).toEqual([]);
  });

test('where nothing can be put in force, the state says that traffic is not protected', async () => {
  const session = await net.signIn();
  const client = await net.attach();
  await programs.plan({ first: 1, how: 'refuses' });
  await client.call('connect', net.request({ session, killSwitch: true }));
  expect(await client.until('disconnected', { seen: 1 })).toEqual({
    state: 'disconnected',
    reason: 'protection-failed',
  });
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
});

test('a packet filter that is taken away for good ends the connection with traffic refused, kill switch or not', async () => {
  const leaksWhile = await watchLeaks(net.lab);
  const client = await net.connect({ killSwitch: false });
  await programs.plan({ first: 1, how: 'refuses', program: 'nft' });
  const seen = client.states.length;
  await createAdministrator(net.lab.user).flushRuleset();
  expect(await client.until('disconnected', { seen })).toEqual({
    state: 'disconnected',
    reason: 'protection-lost',
    blocked: true,
  });
  expect(await leaksWhile(async () => expect(await net.lab.user.seenFrom()).toBeUndefined())).toEqual([]);
  // As soon as it can be had again, it is: the routing need not refuse everything alone any more.
  await programs.plan(undefined);
  await expect
    .poll(async () => (await net.lab.user.exec(['nft', 'list', 'table', 'inet', 'waymaker'])).code)
    .toBe(0);
  await expect
    .poll(async () => (await net.lab.user.run(['ip', 'rule', 'show'])).includes('5170:'))
    .toBe(false);
});

test('a helper that can open nothing for a while says that nothing is protected, and goes on after that', async () => {
  const client = await net.connect();
  const limitFiles = (files: number) => run(words(`prlimit --pid ${net.pid()} --nofile=${files}:20000`));
  await limitFiles(3);
  const seen = client.states.length;
  await createAdministrator(net.lab.user).flushRuleset();
  await endWatchers();
  expect(await client.until('disconnected', { seen })).toMatchObject({ reason: 'protection-failed' });
  await limitFiles(20_000);
  await expect
    .poll(() => client.states.at(-1))
    .toEqual({ state: 'disconnected', reason: 'protection-lost', blocked: true });
  expect(await net.lab.user.seenFrom()).toBeUndefined();
});

/** Ends the programs that report changes to the helper, which starts others. */
const endWatchers = () => net.lab.user.run(words(`pkill --signal KILL --parent ${net.pid()} --full monitor`));

if (isExhaustive)
  test('where no journal can be written, the kill switch blocks all the same, until it is opened', async () => {
    const session = await net.signIn();
    const client = await net.attach();
    const { user } = net.lab;
    await user.run(words(`mount --bind ${net.stateDirectory} ${net.stateDirectory}`));
    try {
      await user.run(words(`mount -o remount,bind,ro ${net.stateDirectory}`));
      const seen = client.states.length;
      await client.call('connect', net.request({ session, killSwitch: true }));
      expect(await client.until('disconnected', { seen })).toEqual({
        state: 'disconnected',
        reason: 'configuration-failed',
        blocked: true,
      });
      expect(await net.lab.user.seenFrom()).toBeUndefined();
      await client.call('disconnect', {});
      expect(client.states.at(-1)).toEqual({ state: 'disconnected' });
      expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    } finally {
      await user.run(words(`umount ${net.stateDirectory}`));
    }
  });
