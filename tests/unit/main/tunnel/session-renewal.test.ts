import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SignInResult } from '../../../../src/main/gateway/sign-in/session.ts';
import { pauseBeforeSignIn } from '../../../../src/main/tunnel/sign-in-pause.ts';
import type { TestHelper } from '../support/helper.ts';
import { address, session, authenticating, handshaking, done, setUp } from '../support/tunnel-controller.ts';
import { connected, gateway } from '../support/tunnel-states.ts';

interface FirstTunnel {
  killSwitch?: boolean;
  wasUp?: boolean;
}

describe('a helper that wants a session', () => {
  test('because the gateway refused the old one gets a new one from the same address', async () => {
    const {
      helper: running,
      commands,
      signIns,
      remembered,
      settled,
    } = await setUp({ helperState: connected });
    remembered.set(gateway.host, '192.0.2.9');
    running.set({ ...authenticating, attempt: 2 });
    await settled(handshaking);
    expect(signIns).toMatchObject([{ address: '192.0.2.9', interactive: false }]);
    expect(commands()).toEqual([{ method: 'provideSession', params: { session } }]);
  });

  test('when the app starts gets one', async () => {
    const { settled, signIns } = await setUp({ helperState: { ...authenticating, attempt: 3 } });
    await settled(handshaking);
    expect(signIns).toHaveLength(1);
  });

  test('gets one as soon as somebody is signed in', async () => {
    const { controller, who, snapshot, settled } = await setUp({
      helperState: authenticating,
      signedIn: false,
    });
    expect(await snapshot()).toEqual(authenticating);
    who.isSignedIn = true;
    controller.credentialsChanged();
    await settled(handshaking);
  });

  test('waits for a gateway that is out of reach', async () => {
    const { signIns, settled } = await setUp({
      helperState: { ...authenticating, attempt: 2 },
      results: [{ ok: false, failure: 'gateway-unreachable' }, done()],
    });
    await settled(handshaking);
    expect(signIns).toHaveLength(2);
  });

  test('has the gateway tried at its other addresses in turn', async () => {
    const { signIns, settled, commands } = await setUp({
      addresses: ['192.0.2.1', '2001:db8::1'],
      helperState: { ...authenticating, attempt: 2 },
      results: [
        { ok: false, failure: 'gateway-unreachable' },
        { ok: false, failure: 'gateway-unreachable' },
        done(),
      ],
    });
    await settled(handshaking);
    expect(signIns.map((signIn) => signIn.address)).toEqual(['192.0.2.1', '2001:db8::1', '192.0.2.1']);
    const asked = commands().filter(({ method }) => method === 'connect');
    expect(asked).toMatchObject([
      { params: { gateway, address: '2001:db8::1' } },
      { params: { gateway, address: '192.0.2.1' } },
    ]);
  });

  test('ends with its session where only the user could sign in again', async () => {
    const { settled, signIns } = await setUp({
      helperState: { ...authenticating, attempt: 2 },
      results: [{ ok: false, failure: 'needs-user' }],
    });
    await settled({ state: 'disconnected', reason: 'session-ended' });
    expect(signIns.map(({ interactive }) => interactive)).toEqual([false]);
  });

  test('and is blocked by the kill switch has the user asked', async () => {
    const { settled, signIns, commands } = await setUp({
      killSwitch: true,
      helperState: { ...authenticating, attempt: 2 },
    });
    await settled(handshaking);
    expect(signIns.map(({ interactive }) => interactive)).toEqual(['forms']);
    expect(commands().map(({ method }) => method)).toEqual(['provideSession']);
  });

  test('whose new sessions are refused each time is told why', async () => {
    const { helper: running, settled, signIns } = await setUp({ helperState: connected });
    running.on('provideSession', () => running.set({ ...authenticating, attempt: signIns.length + 1 }));
    running.set(authenticating);
    await settled({ state: 'disconnected', reason: 'too-many-sessions' });
  });

  test('whose new sessions are ended each time, soon after they were granted, is told why', async () => {
    const { helper: running, settled, signIns } = await setUp({ helperState: connected });
    running.on('provideSession', () => {
      running.set(connected);
      running.set({ ...authenticating, attempt: signIns.length + 1 });
    });
    running.set(authenticating);
    await settled({ state: 'disconnected', reason: 'too-many-sessions' });
  });

  // As of a laptop that sleeps, and is awake for some seconds now and then: the gateway has ended an idle session.
  test('whose sessions each end while the computer sleeps gets one each time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { helper: running, settled, signIns } = await setUp({ helperState: connected });
    for (let sleeps = 1; sleeps <= 6; sleeps += 1) {
      await settled(connected);
      vi.setSystemTime(Date.now() + 15 * 60_000);
      running.set(authenticating);
      await settled(handshaking);
      running.set(connected);
      expect(signIns).toHaveLength(sleeps);
    }
  });

  test.each([
    ['has been no tunnel yet is given up where the gateway cannot be reached', {}],
    ['has been no tunnel yet is kept by the kill switch', { killSwitch: true }],
    ['has been a tunnel waits for a gateway that cannot be reached', { wasUp: true }],
  ] as const)('where there %s', async (_what, { killSwitch = false, wasUp = false }: FirstTunnel) => {
    const cause = 'gateway-refuses-connections';
    const away: SignInResult = { ok: false, failure: 'gateway-unreachable', cause };
    const app = await setUp({ killSwitch, results: [done(), away, away, done()] });
    await app.controller.prepare(address);
    await vi.waitFor(() => expect(app.signIns).toHaveLength(1));
    await app.tunnel.connect({ address });
    await app.settled(handshaking);
    if (wasUp) app.helper.set(connected);
    if (wasUp) await app.settled(connected);
    // The gateway has refused the session that was prepared.
    app.helper.set({ ...authenticating, attempt: 2 });
    const isOver = !killSwitch && !wasUp;
    await vi.waitFor(() => expect(app.signIns).toHaveLength(isOver ? 2 : 4));
    await app.settled(isOver ? { state: 'disconnected', reason: cause } : handshaking);
  });

  test('where there has been no tunnel yet has the user asked once, where only they can sign in', async () => {
    const needsUser: SignInResult = { ok: false, failure: 'needs-user' };
    const app = await setUp({ results: [done(), needsUser, done(), needsUser] });
    await app.controller.prepare(address);
    await vi.waitFor(() => expect(app.signIns).toHaveLength(1));
    await app.tunnel.connect({ address });
    await app.settled(handshaking);
    app.helper.set({ ...authenticating, attempt: 2 });
    await vi.waitFor(() => expect(app.signIns).toHaveLength(3));
    await app.settled(handshaking);
    expect(app.signIns.map(({ interactive }) => interactive)).toEqual([false, false, true]);
    expect(app.commands().map(({ method }) => method)).toEqual(['connect', 'disconnect', 'connect']);
    app.helper.set({ ...authenticating, attempt: 2 });
    await app.settled({ state: 'disconnected', reason: 'session-ended' });
  });

  // As with upgrades one after the other: the gateway has nothing to do with it.
  test('because it was started again, however often, gets one', async () => {
    const { helper: running, settled, signIns } = await setUp({ helperState: connected });
    for (let starts = 1; starts <= 5; starts += 1) {
      await running.stop();
      running.set(authenticating);
      await running.start();
      await settled(handshaking);
      running.set(connected);
      await settled(connected);
      expect(signIns).toHaveLength(starts);
    }
  });

  // ocserv shuts an address out that has made eighty connections in twenty minutes; each session takes two or three.
  test('because it ends with each session gets some twenty in as many minutes', () => {
    let [signIns, at] = [0, 0];
    for (; at < 20 * 60_000; at += pauseBeforeSignIn(signIns, 0)) signIns += 1;
    expect(3 * signIns).toBeLessThan(80);
    // A gateway that cannot be reached is looked for as often as ever.
    expect([1, 5, 20].map((rounds) => pauseBeforeSignIn(0, rounds))).toEqual([500, 8_000, 15_000]);
  });

  test('ends where the gateway may not be used any more', async () => {
    const { helper: running, who, settled, signIns } = await setUp({ helperState: connected });
    who.refusal = 'server-removed';
    running.set({ ...authenticating, attempt: 2 });
    await settled({ state: 'disconnected', reason: 'server-removed' });
    expect(signIns).toEqual([]);
  });

  test('and an address, since it lost its app before, is asked for again', async () => {
    const { commands, settled } = await setUp({ helperState: { ...authenticating, phase: 'resolving' } });
    await settled(handshaking);
    expect(commands()).toMatchObject([
      { method: 'connect', params: { address: '192.0.2.1' } },
      { method: 'provideSession' },
    ]);
  });

  test('ends when the gateway no longer accepts the device', async () => {
    const { settled } = await setUp({
      helperState: { ...authenticating, attempt: 2 },
      results: [{ ok: false, failure: 'sign-in-refused' }],
    });
    await settled({ state: 'disconnected', reason: 'sign-in-refused' });
  });
});

describe('a helper that ended and comes back without its connection', () => {
  async function restart(running: TestHelper, lost: { reason?: 'helper-restarted' } = {}): Promise<void> {
    await running.stop();
    running.set({ state: 'disconnected', ...lost });
    await running.start();
  }

  test.each([{}, { reason: 'helper-restarted' }] as const)('is asked for it again: %o', async (lost) => {
    const { helper: running, commands, settled, told } = await setUp({ helperState: connected });
    await restart(running, lost);
    await settled(handshaking);
    expect(commands()).toMatchObject([
      { method: 'connect', params: { gateway, address: '192.0.2.1' } },
      { method: 'provideSession' },
    ]);
    expect(told, 'nobody is told in between that there is to be none').not.toContainEqual({
      state: 'disconnected',
      ...lost,
    });
  });

  test('during a sign-in is asked for it again', async () => {
    const pending = Promise.withResolvers<SignInResult>();
    const { helper: running, tunnel, signIns, settled } = await setUp({ results: [pending.promise, done()] });
    await tunnel.connect({ address });
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await restart(running);
    await settled(handshaking);
    expect(signIns[0]?.signal.aborted).toBe(true);
    pending.resolve(done());
  });

  test('is left alone when the user has disconnected meanwhile', async () => {
    const { helper: running, tunnel, commands, settled } = await setUp({ helperState: connected });
    await running.stop();
    await settled({ state: 'invalid', cause: 'helper-absent' });
    await tunnel.disconnect(undefined);
    running.set({ state: 'disconnected' });
    await running.start();
    await settled({ state: 'disconnected' });
    expect(commands()).toEqual([]);
  });

  test('is left alone when nobody is signed in any more, and the user is told', async () => {
    const { helper: running, who, commands, settled } = await setUp({ helperState: connected });
    who.isSignedIn = false;
    await restart(running);
    await settled({ state: 'disconnected', reason: 'helper-restarted' });
    expect(commands()).toEqual([]);
  });

  test('is left alone where it was disconnected before', async () => {
    const { helper: running, tunnel, commands, settled } = await setUp({ helperState: connected });
    await tunnel.disconnect(undefined);
    await restart(running);
    await settled({ state: 'disconnected' });
    expect(commands().map(({ method }) => method)).toEqual(['disconnect']);
  });

  test('that says why is believed', async () => {
    const { helper: running, commands, settled } = await setUp({ helperState: connected });
    await running.stop();
    running.set({ state: 'disconnected', reason: 'plan-ended' });
    await running.start();
    await settled({ state: 'disconnected', reason: 'plan-ended' });
    expect(commands()).toEqual([]);
  });
});
