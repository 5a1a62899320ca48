import { describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { eventually } from '../../lab/runs/process.ts';
import { proxyGone } from '../support/helper-lab.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

const net = helperLabForEach();

const everything: Routing = { mode: 'global', localNetwork: false };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };

describe('switched while connected, it counts when the helper is killed:', () => {
  test('traffic stays blocked when it is on, and the next helper puts everything back when it is off', async () => {
    const client = await net.connect({ killSwitch: false });
    await client.call('setRouting', { routing: everything, killSwitch: true });
    expect(client.states.at(-1)).toMatchObject({ state: 'connected' });
    expect(await client.call('killSwitch', {})).toEqual({ isOn: true });
    await net.end('SIGKILL');
    await net.start();
    const next = await net.attach();
    expect(next.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    expect(await next.call('killSwitch', {})).toEqual({ isOn: true });

    await next.call('provideSession', { session: await net.signIn() });
    await next.until('connected');
    // Another routing alone leaves it as it is.
    await next.call('setRouting', { routing: { mode: 'global', localNetwork: true } });
    expect(await next.call('killSwitch', {})).toEqual({ isOn: true });
    await next.call('setRouting', { routing: everything, killSwitch: false });
    expect(await next.call('killSwitch', {})).toEqual({ isOn: false });
    await net.end('SIGKILL');
    await net.start();
    expect((await net.attach()).states).toEqual([{ state: 'disconnected', reason: 'helper-restarted' }]);
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  });

  if (isExhaustive)
    test('another routing alone leaves it as it is', async () => {
      const client = await net.connect({ killSwitch: true });
      await client.call('setRouting', { routing: { mode: 'global', localNetwork: true } });
      await net.end('SIGKILL');
      await net.start();
      expect(await net.lab.user.seenFrom()).toBeUndefined();
    });

  if (isExhaustive)
    test('on, with a proxy: that goes on, the same one', async () => {
      const client = await net.connect({ routing: pac, killSwitch: false });
      const before = await net.proxies();
      expect(before).toHaveLength(1);
      await client.call('setRouting', { routing: pac, killSwitch: true });
      await net.end('SIGKILL');
      // Had the proxy been to end with the helper, it would have, as the engine does.
      await eventually('the engine is gone', async () => (await net.engines()).length === 0 || undefined);
      expect(await net.proxies()).toEqual(before);
    });

  if (isExhaustive)
    test('off, with a proxy: that ends with the helper', async () => {
      const client = await net.connect({ routing: pac, killSwitch: true });
      expect(await net.proxies()).toHaveLength(1);
      await client.call('setRouting', { routing: pac, killSwitch: false });
      await net.end('SIGKILL');
      await proxyGone(net);
    });
});

if (isExhaustive)
  describe('switched while connected, it counts when the helper ends in good order:', () => {
    test.each([true, false])('%s', async (killSwitch) => {
      const client = await net.connect({ killSwitch: !killSwitch });
      await client.call('setRouting', { routing: everything, killSwitch });
      await net.end('SIGTERM');
      expect(await net.lab.user.seenFrom()).toBe(killSwitch ? undefined : addresses.user.ipv4);
      await net.start();
    });
  });

describe('a connection that a client gives up for a reason', () => {
  test('stays closed with the kill switch on, and says so, until it is disconnected without one', async () => {
    const client = await net.attach();
    await client.call('connect', net.request({ killSwitch: true }));
    await client.call('disconnect', { reason: 'session-ended' });
    expect(client.states.at(-1)).toEqual({ state: 'disconnected', reason: 'session-ended', blocked: true });
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    await client.call('disconnect', { reason: 'trial-ended' });
    expect(client.states.at(-1)).toEqual({ state: 'disconnected', reason: 'trial-ended', blocked: true });
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    expect((await net.attach()).states).toEqual([client.states.at(-1)]);
    await client.call('disconnect', {});
    expect(client.states.at(-1)).toEqual({ state: 'disconnected' });
    expect(await client.call('killSwitch', {})).toEqual({ isOn: false });
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  });

  if (isExhaustive)
    test('opens without it', async () => {
      const client = await net.connect({ killSwitch: false });
      await client.call('disconnect', { reason: 'session-ended' });
      expect(client.states.at(-1)).toEqual({ state: 'disconnected', reason: 'session-ended' });
      expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    });

  if (isExhaustive)
    test('and that is connected again from there is a tunnel', async () => {
      const client = await net.connect({ killSwitch: true });
      await client.call('disconnect', { reason: 'session-ended' });
      await client.call('connect', net.request({ killSwitch: true }));
      await client.call('provideSession', { session: await net.signIn() });
      await client.until('connected', { seen: client.states.length - 1 });
      expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    });
});
