import { describe, expect, test, vi } from 'vitest';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import type { SignInResult } from '../../../../src/main/gateway/sign-in/session.ts';
import type { HelperCall } from '../support/helper.ts';
import { address, authenticating, handshaking, done, setUp } from '../support/tunnel-controller.ts';
import { connected, gateway } from '../support/tunnel-states.ts';

describe('disconnect', () => {
  test('ends a sign-in that is in progress, whose session is then not used', async () => {
    const pending = Promise.withResolvers<SignInResult>();
    const { tunnel, signIns, commands, settled } = await setUp({ results: [pending.promise] });
    await tunnel.connect({ address });
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await tunnel.disconnect(undefined);
    expect(signIns[0]?.signal.aborted).toBe(true);
    pending.resolve(done());
    await settled({ state: 'disconnected' });
    expect(commands().map(({ method }) => method)).toEqual(['connect', 'disconnect']);
  });

  test('says why, when it is not the user who wants it', async () => {
    const { controller, settled } = await setUp({ helperState: connected });
    await controller.end('trial-ended');
    await settled({ state: 'disconnected', reason: 'trial-ended' });
  });

  test('for the end of a trial says so until the service names another plan', async () => {
    const { controller, helper, who, told, settled } = await setUp({ helperState: connected });
    who.hasPlan = false;
    helper.set({ state: 'disconnected', reason: 'trial-ended', blocked: true });
    controller.planChanged();
    await settled({ state: 'disconnected', reason: 'trial-ended', blocked: true });
    // The clocks of helper and service may differ by a moment, so having a plan is not enough: it has to be news.
    who.hasPlan = true;
    await settled({ state: 'disconnected', reason: 'trial-ended', blocked: true });
    controller.planChanged();
    await settled({ state: 'disconnected', blocked: true });
    expect(told.at(-1)).toEqual({ state: 'disconnected', blocked: true });
    helper.set(connected);
    await settled(connected);
    helper.set({ state: 'disconnected', reason: 'plan-ended' });
    await settled({ state: 'disconnected', reason: 'plan-ended' });
  });

  test('without a helper does nothing', async () => {
    const { tunnel, snapshot } = await setUp({ helperAbsent: true });
    expect(await tunnel.disconnect(undefined)).toBeNull();
    expect(await snapshot()).toEqual({ state: 'invalid', cause: 'helper-absent' });
  });
});

test('what the user has to answer first is asked before traffic is blocked, and not after they disconnect', async () => {
  const answered = Promise.withResolvers<void>();
  const asked: AbortSignal[] = [];
  const { tunnel, commands, told, settled } = await setUp({
    async beforeSignIn(_to, signal) {
      asked.push(signal);
      await answered.promise;
    },
  });
  await tunnel.connect({ address });
  expect(told.at(-1)).toEqual(authenticating);
  await tunnel.disconnect(undefined);
  expect(asked[0]?.aborted).toBe(true);
  await tunnel.connect({ address });
  expect(commands().map(({ method }) => method)).toEqual(['disconnect']);
  answered.resolve();
  await settled(handshaking);
  expect(commands().map(({ method }) => method)).toEqual(['disconnect', 'connect', 'provideSession']);
});

test('nobody is asked when the app connects by itself', async () => {
  const { controller, settled } = await setUp({
    beforeSignIn: () => Promise.reject(new Error('nobody is there')),
  });
  await controller.connectTo({ serverId: 'de-1', domain: gateway.host });
  await settled({ ...handshaking, gateway: { ...gateway, serverId: 'de-1' } });
});

test('a session is prepared at whichever of the addresses answers first', async () => {
  const { controller, signIns } = await setUp({ addresses: ['2001:db8::1', '192.0.2.1'] });
  await controller.prepare(address);
  await vi.waitFor(() => expect(signIns).toHaveLength(1));
  expect(signIns[0]).toMatchObject({ address: '2001:db8::1', otherAddresses: ['192.0.2.1'] });
});

test('a tunnel that is up when the app starts is shown', async () => {
  const { snapshot, commands, signIns } = await setUp({ helperState: connected });
  expect(await snapshot()).toEqual(connected);
  expect(commands()).toEqual([]);
  expect(signIns).toEqual([]);
});

test('another user’s tunnel is shown, and neither changed nor signed in for', async () => {
  const helperState: TunnelState = { ...authenticating, ownedByOther: true };
  const { controller, tunnel, snapshot, commands, signIns, preferred } = await setUp({ helperState });
  expect(await snapshot()).toEqual(helperState);
  expect(await tunnel.connect({ address })).toEqual({ ok: false, error: 'not-owner' });
  await tunnel.disconnect(undefined);
  await preferred.choose({ mode: 'global', localNetwork: true });
  await controller.drop('user');
  await controller.drop('service');
  expect(await snapshot()).toEqual(helperState);
  expect(commands()).toEqual([]);
  expect(signIns).toEqual([]);
});

test('other resolvers than a tunnel was made with are had by another one, and by none where there is none', async () => {
  const { helper: running, commands, preferred, settled } = await setUp();
  const choose = async (...resolvers: string[]) => {
    preferred.resolvers = resolvers;
    await preferred.apply();
  };
  await choose('192.0.2.53');
  expect(commands()).toEqual([]);
  running.set(connected);
  await settled(connected);
  await choose('192.0.2.53', '192.0.2.54');
  await settled(handshaking);
  const [, first] = commands();
  const ownResolvers = ['192.0.2.53', '192.0.2.54'];
  expect(first).toMatchObject({ method: 'connect', params: { gateway, ownResolvers } });
  const before = commands().length;
  await preferred.choose({ mode: 'global', localNetwork: true });
  expect(commands().slice(before)).toMatchObject([{ method: 'setRouting' }]);
});

test('other resolvers are not accepted while no new connection can be made for them', async () => {
  const { helper: running, commands, preferred, settled, who } = await setUp();
  running.set(connected);
  await settled(connected);
  who.refusal = 'server-removed';
  preferred.resolvers = ['192.0.2.53'];
  await expect(preferred.apply()).rejects.toThrow('not-listed');
  expect(commands().filter(({ method }) => method === 'connect')).toEqual([]);
  await settled(connected);
  preferred.resolvers = [];
  await preferred.apply();
  expect(commands().filter(({ method }) => method === 'connect')).toEqual([]);
});

test('statistics are the helper’s while connected, and null otherwise', async () => {
  const { tunnel, helper: running, settled } = await setUp();
  expect(await tunnel.statistics(undefined)).toBeNull();
  running.set(connected);
  await settled(connected);
  expect(await tunnel.statistics(undefined)).toEqual({ received: 11, sent: 7 });
});

test('an attempt that fails leaves blocked what the kill switch blocks, and a disconnect opens it', async () => {
  const blocked = { state: 'disconnected', reason: 'engine-failed', blocked: true } as const;
  const {
    tunnel,
    helper: running,
    settled,
  } = await setUp({ addresses: [], helperState: blocked, killSwitch: true });
  running.on('disconnect', ({ reason }) =>
    running.set({ state: 'disconnected', ...(reason && { reason, blocked: true }) }),
  );
  await settled(blocked);
  await tunnel.connect({ address });
  await settled({ state: 'disconnected', reason: 'gateway-name-unknown', blocked: true });
  await tunnel.disconnect(undefined);
  await settled({ state: 'disconnected' });
});

test('signing out ends the tunnel and forgets prepared sessions', async () => {
  const { controller, tunnel, signIns, commands, settled } = await setUp();
  await controller.prepare(address);
  await vi.waitFor(() => expect(signIns).toHaveLength(1));
  await controller.drop('user');
  expect(commands().map(({ method }) => method)).toEqual(['disconnect']);
  await tunnel.connect({ address });
  await settled(handshaking);
  expect(signIns).toHaveLength(2);
});

describe('a sign-out that the service wants', () => {
  test('ends the tunnel as a failure, so that the kill switch holds traffic back', async () => {
    const { controller, commands, settled } = await setUp({ helperState: connected });
    await controller.drop('service');
    await settled({ state: 'disconnected', reason: 'session-ended' });
    expect(commands()).toEqual([{ method: 'disconnect', params: { reason: 'session-ended' } }]);
  });

  test('ends a sign-in that is in progress, too', async () => {
    const pending = Promise.withResolvers<SignInResult>();
    const { controller, tunnel, signIns, settled } = await setUp({ results: [pending.promise] });
    await tunnel.connect({ address });
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await controller.drop('service');
    expect(signIns[0]?.signal.aborted).toBe(true);
    pending.resolve(done());
    await settled({ state: 'disconnected', reason: 'session-ended' });
  });

  test('keeps what was asked for just before from connecting', async () => {
    const { controller, tunnel, who, commands, snapshot } = await setUp();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    who.refusal = promise;
    const asked = tunnel.connect({ address });
    await controller.drop('service');
    resolve(undefined);
    await asked;
    expect(await snapshot()).toEqual({ state: 'disconnected' });
    expect(commands()).toEqual([]);
  });

  test.each<TunnelState>([
    { state: 'disconnected' },
    { state: 'disconnected', reason: 'sign-in-refused', blocked: true },
    { state: 'invalid', cause: 'engine-absent', blocked: true },
  ])('leaves what is without a tunnel as it is: %o', async (helperState) => {
    const { controller, commands, snapshot } = await setUp({ helperState });
    await controller.drop('service');
    expect(commands()).toEqual([]);
    expect(await snapshot()).toEqual(helperState);
  });

  test('while one that the user wants opens what is blocked', async () => {
    const { controller, settled } = await setUp({
      helperState: { state: 'disconnected', reason: 'sign-in-refused', blocked: true },
    });
    await controller.drop('user');
    await settled({ state: 'disconnected' });
  });
});

test('nothing of a session is logged', async () => {
  const { tunnel, settled, log } = await setUp();
  await tunnel.connect({ address });
  await settled(handshaking);
  expect(log()).not.toMatch(/c00kie|token/);
});

describe('a routing that is chosen', () => {
  const pac: Routing = { mode: 'pac', routeDomains: ['example.com'], blockedDomains: [] };
  const routings = (calls: HelperCall[]) => calls.filter(({ method }) => method === 'setRouting');

  test('while a connection is being asked for reaches that connection', async () => {
    const { helper: running, tunnel, settled, preferred } = await setUp();
    await tunnel.connect({ address });
    await preferred.choose(pac);
    expect(running.calls.map(({ method }) => method)).toContain('connect');
    expect(routings(running.calls)).toEqual([
      { method: 'setRouting', params: { routing: pac, killSwitch: false } },
    ]);
    await settled(handshaking);
  });

  test('while the helper is away reaches the connection that it comes back with', async () => {
    const { helper: running, settled, preferred } = await setUp({ helperState: connected });
    await running.stop();
    await settled({ state: 'invalid', cause: 'helper-absent' });
    await preferred.choose(pac);
    await running.start();
    await vi.waitFor(() =>
      expect(routings(running.calls)).toEqual([
        { method: 'setRouting', params: { routing: pac, killSwitch: false } },
      ]),
    );
    running.set(handshaking);
    await settled(handshaking);
    running.set(connected);
    await settled(connected);
    expect(routings(running.calls)).toHaveLength(1);
  });

  test('while there is no connection is nobody else’s affair', async () => {
    const { helper: running, settled, preferred } = await setUp();
    await preferred.choose(pac);
    running.set(connected);
    await settled(connected);
    expect(routings(running.calls)).toEqual([]);
  });
});
