import { describe, expect, test, vi } from 'vitest';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import type { SignInResult } from '../../../../src/main/gateway/sign-in/session.ts';
import { address, session, handshaking, done, setUp } from '../support/tunnel-controller.ts';
import { connected, gateway, routing } from '../support/tunnel-states.ts';

describe('connect', () => {
  test('asks the helper to hold traffic back first, then signs in and provides the session', async () => {
    const { tunnel, commands, signIns, told, settled, remembered } = await setUp();
    expect(await tunnel.connect({ address })).toEqual({ ok: true });
    await settled(handshaking);
    expect(commands()).toEqual([
      { method: 'connect', params: { gateway, address: '192.0.2.1', routing, killSwitch: false } },
      { method: 'provideSession', params: { session } },
    ]);
    expect(signIns).toMatchObject([
      {
        gateway,
        address: '192.0.2.1',
        interactive: false,
      },
    ]);
    expect(told.map((state) => ('phase' in state ? state.phase : state.state))).toEqual([
      'disconnected',
      'authenticating',
      'handshaking',
    ]);
    expect(remembered.get(gateway.host)).toBe('192.0.2.1');
  });

  test('tells a helper that goes on elsewhere where else the gateway may be, and what is learnt of it later', async () => {
    const { helper, tunnel, commands, settled } = await setUp({
      addresses: ['192.0.2.1', '2001:db8::1', '10.0.0.5'],
      takesAddresses: true,
      learnt: ['192.0.2.7'],
    });
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands()[0]).toMatchObject({
      method: 'connect',
      params: { address: '192.0.2.1', otherAddresses: ['2001:db8::1'] },
    });
    helper.set(connected);
    await vi.waitFor(() =>
      expect(commands().at(-1)).toEqual({
        method: 'setAddresses',
        params: { otherAddresses: ['192.0.2.1', '2001:db8::1', '192.0.2.7'] },
      }),
    );
  });

  test.each([true, false])(
    'says where the sign-in began if servers share the gateway: %s',
    async (isShared) => {
      const { helper, tunnel, commands, told, settled } = await setUp({ isSharedByPath: isShared });
      const at = (path: string) => (isShared ? { ...gateway, path } : gateway);
      await tunnel.connect({ address: `${address}/sales` });
      await settled({ ...handshaking, gateway: at('/sales') });
      helper.set(connected);
      await settled({ ...connected, gateway: at('/sales') });
      await tunnel.connect({ address });
      await settled({ ...handshaking, gateway: at('/') });
      helper.set(connected);
      await settled({ ...connected, gateway: at('/') });
      expect(await tunnel.snapshot(undefined)).toEqual({ ...connected, gateway: at('/') });
      // The helper knows no servers.
      const asked = commands().filter(({ method }) => method === 'connect');
      expect(asked.map(({ params }) => params)).toMatchObject([{ gateway }, { gateway }]);
      for (const { params } of asked) expect(params).not.toHaveProperty('gateway.path');
      expect(told.every((state) => !('gateway' in state) || 'path' in state.gateway === isShared)).toBe(true);
    },
  );

  test('uses a session prepared ahead, once', async () => {
    const { tunnel, commands, signIns, settled, controller } = await setUp();
    await controller.prepare(address);
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands()).toEqual([
      { method: 'connect', params: { gateway, address: '192.0.2.1', session, routing, killSwitch: false } },
    ]);
    expect(signIns).toHaveLength(1);
  });

  test('has traffic blocked while it waits for a session that is just being prepared', async () => {
    const pending = Promise.withResolvers<SignInResult>();
    const { tunnel, commands, signIns, settled, controller } = await setUp({ results: [pending.promise] });
    await controller.prepare(address);
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await tunnel.connect({ address });
    const held = { method: 'connect', params: { gateway, address: '192.0.2.1', routing, killSwitch: false } };
    await vi.waitFor(() => expect(commands()).toEqual([held]));
    pending.resolve(done());
    await settled(handshaking);
    expect(commands()).toEqual([held, { method: 'provideSession', params: { session } }]);
    expect(signIns).toHaveLength(1);
  });

  test('takes a session that was being prepared at another of the addresses there', async () => {
    const pending = Promise.withResolvers<SignInResult>();
    const { tunnel, commands, signIns, settled, controller } = await setUp({ results: [pending.promise] });
    await controller.prepare(address);
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await tunnel.connect({ address });
    await vi.waitFor(() => expect(commands()).toHaveLength(1));
    pending.resolve(done('192.0.2.2'));
    await settled(handshaking);
    expect(commands().map(({ params }) => params)).toMatchObject([
      { address: '192.0.2.1' },
      { address: '192.0.2.2', session },
    ]);
  });

  test('signs in itself when preparing failed, and tells why it failed then', async () => {
    const refused: SignInResult = { ok: false, failure: 'sign-in-refused' };
    const { tunnel, signIns, settled, controller } = await setUp({ results: [refused] });
    await controller.prepare(address);
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'sign-in-refused' });
    expect(signIns).toHaveLength(2);
  });

  test('tells no more of refused credentials once there are others', async () => {
    const refused: SignInResult = { ok: false, failure: 'sign-in-refused' };
    const { tunnel, settled, controller } = await setUp({ results: [refused] });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'sign-in-refused' });
    controller.credentialsChanged();
    await settled({ state: 'disconnected' });
  });

  test.each(['gateway-unreachable', 'gateway-certificate-refused', 'sign-in-refused'] as const)(
    '%s becomes the reason, and the helper never gets a session',
    async (failure) => {
      const { tunnel, commands, settled } = await setUp({ results: [{ ok: false, failure }] });
      await tunnel.connect({ address });
      await settled({ state: 'disconnected', reason: failure });
      expect(commands().map(({ method }) => method)).toEqual(['connect', 'disconnect']);
    },
  );

  test.each([true, false])(
    'what the gateway says about a refusal is shown, kill switch: %s',
    async (killSwitch) => {
      const refused: SignInResult = { ok: false, failure: 'sign-in-refused', words: 'Account locked' };
      const needsUser: SignInResult = { ok: false, failure: 'needs-user' };
      const results = killSwitch ? [refused] : [needsUser, refused];
      const { tunnel, words, settled } = await setUp({ results, killSwitch });
      await tunnel.connect({ address });
      await settled(expect.objectContaining({ state: 'disconnected', reason: 'sign-in-refused' }));
      expect(words).toEqual([`${gateway.host}: Account locked`]);
    },
  );

  test('the cause of an unreachable gateway becomes the reason', async () => {
    const cause = 'gateway-refuses-connections';
    const { tunnel, settled } = await setUp({
      results: [{ ok: false, failure: 'gateway-unreachable', cause }],
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: cause });
  });

  test('an earlier helper that does not know the reason is told another one, and waits no longer', async () => {
    const { helper, tunnel, settled } = await setUp({
      results: [{ ok: false, failure: 'gateway-certificate-refused', cause: 'gateway-certificate-dates' }],
    });
    helper.on('disconnect', ({ reason }) => {
      if (reason === 'gateway-certificate-dates') throw new ResponseError(ErrorCodes.InvalidParams, 'reason');
      helper.set({ state: 'disconnected', ...(reason && { reason }) });
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'gateway-certificate-refused' });
  });

  test.each([
    ['gateway-certificate-refused', false, [gateway.host]],
    ['gateway-unreachable', false, [gateway.host]],
    ['gateway-certificate-refused', true, []],
    ['sign-in-refused', false, []],
  ] as const)(
    'after %s, with kill switch: %s, the gateway’s name is looked up for the next click: %j',
    async (failure, killSwitch, expected) => {
      const { tunnel, settled, lookUps } = await setUp({ results: [{ ok: false, failure }], killSwitch });
      lookUps.length = 0;
      await tunnel.connect({ address });
      await settled(expect.objectContaining({ state: 'disconnected', reason: failure }));
      expect(lookUps).toEqual(expected);
    },
  );

  test('an unknown name is looked up while everything is blocked, and told', async () => {
    const { tunnel, commands, settled } = await setUp({ addresses: [] });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'gateway-name-unknown' });
    expect(commands()).toEqual([
      { method: 'connect', params: { gateway, routing, killSwitch: false } },
      { method: 'disconnect', params: { reason: 'gateway-name-unknown' } },
    ]);
  });

  test('the address comes from a lookup that began before the click', async () => {
    const { tunnel, commands, settled } = await setUp({ resolvedAhead: false });
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands().map(({ method, params }) => [method, 'address' in params && params.address])).toEqual([
      ['connect', false],
      ['connect', '192.0.2.1'],
      ['provideSession', false],
    ]);
  });

  test('an unknown name leaves a tunnel that is up alone, but not one that holds traffic back', async () => {
    const up = await setUp({ addresses: [], helperState: connected });
    await up.tunnel.connect({ address: 'anyconnect://other.example.net' });
    await up.settled(connected);
    expect(up.commands()).toEqual([]);

    up.helper.set({ ...handshaking, attempt: 2 });
    await up.settled({ ...handshaking, attempt: 2 });
    await up.tunnel.connect({ address: 'anyconnect://other.example.net' });
    await up.settled({ state: 'disconnected', reason: 'gateway-name-unknown' });
  });

  test('the next address is tried when one does not answer', async () => {
    const { tunnel, commands, settled } = await setUp({
      addresses: ['192.0.2.1', '2001:db8::1'],
      results: [{ ok: false, failure: 'gateway-unreachable' }, done('2001:db8::1')],
    });
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands().map(({ method, params }) => [method, 'address' in params && params.address])).toEqual([
      ['connect', '192.0.2.1'],
      ['connect', '2001:db8::1'],
      ['provideSession', false],
    ]);
  });

  test.each([
    ['a bad address', { address: 'https://gw.example.net' }, {}, 'bad-address'],
    ['nobody signed in', { address }, { signedIn: false }, 'not-signed-in'],
    ['no helper', { address }, { helperAbsent: true }, 'unavailable'],
  ] as const)('%s is refused at once', async (_what, input, options, error) => {
    const { tunnel } = await setUp(options);
    expect(await tunnel.connect(input)).toEqual({ ok: false, error });
  });

  test('a helper that could make no tunnel is asked again', async () => {
    const {
      tunnel,
      helper: running,
      commands,
      signIns,
      settled,
    } = await setUp({
      helperState: { state: 'invalid', cause: 'engine-absent' },
    });
    running.on('connect', () => running.set({ state: 'invalid', cause: 'engine-absent' }));
    expect(await tunnel.connect({ address })).toEqual({ ok: true });
    await vi.waitFor(() => expect(commands()).toHaveLength(1));
    await settled({ state: 'invalid', cause: 'engine-absent' });
    expect(signIns).toEqual([]);
  });

  test('a helper that refuses is a failed configuration', async () => {
    const { tunnel, helper: running, settled } = await setUp();
    running.on('connect', () => {
      throw new ResponseError(-32603, 'the helper failed');
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'configuration-failed' });
  });

  test('a session that the helper no longer wants is no failure', async () => {
    const { tunnel, helper: running, settled, log } = await setUp();
    running.on('provideSession', () => {
      running.set({ state: 'disconnected' });
      throw new ResponseError(helperError.wrongState, 'nothing waits for a session');
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected' });
    await vi.waitFor(() => expect(log()).toContain('too late'));
  });

  test('a browser is opened only once traffic flows again', async () => {
    const { tunnel, commands, signIns, settled } = await setUp({
      results: [{ ok: false, failure: 'needs-user' }, done()],
    });
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands().map(({ method, params }) => [method, 'session' in params])).toEqual([
      ['connect', false],
      ['disconnect', false],
      ['connect', true],
    ]);
    expect(signIns.map(({ interactive }) => interactive)).toEqual([false, true]);
  });

  test('a gateway that asks the user is not signed in to ahead again, nor before the user is there', async () => {
    const { tunnel, controller, signIns, settled } = await setUp({
      results: [{ ok: false, failure: 'needs-user' }, done(), done()],
    });
    const asked = () => signIns.map(({ interactive }) => interactive);
    await controller.prepare(address);
    await vi.waitFor(() => expect(asked()).toEqual([false]));
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(asked()).toEqual([false, true]);
    await tunnel.disconnect(undefined);
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(asked()).toEqual([false, true, true]);
    // Another user may be asked nothing.
    await tunnel.disconnect(undefined);
    controller.credentialsChanged();
    await controller.prepare(address);
    await vi.waitFor(() => expect(asked()).toEqual([false, true, true, false]));
  });

  test('with the kill switch on, forms are asked of the user while traffic is blocked', async () => {
    const { tunnel, commands, signIns, settled, controller } = await setUp({
      killSwitch: true,
      results: [{ ok: false, failure: 'needs-user' }, done()],
    });
    await controller.prepare(address);
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(signIns.map(({ interactive }) => interactive)).toEqual([false, 'forms']);
    expect(commands().map(({ method }) => method)).toEqual(['connect', 'provideSession']);
  });

  test('with the kill switch on, a gateway that wants a browser is told, and nothing is opened for it', async () => {
    const { tunnel, commands, signIns, settled } = await setUp({
      killSwitch: true,
      results: [{ ok: false, failure: 'needs-user' }],
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'browser-sign-in-blocked' });
    expect(signIns.map(({ interactive }) => interactive)).toEqual(['forms']);
    expect(commands()).toEqual([
      expect.objectContaining({ method: 'connect' }),
      { method: 'disconnect', params: { reason: 'browser-sign-in-blocked' } },
    ]);
  });

  test.each(['trial-ended', 'plan-ended', 'server-removed', 'unknown'] as const)(
    'a gateway that may not be used (%s) is neither prepared for nor connected to',
    async (refusal) => {
      const { tunnel, who, commands, signIns, controller } = await setUp();
      who.refusal = refusal;
      await controller.prepare(address);
      expect(await tunnel.connect({ address })).toEqual({ ok: false, error: 'not-listed' });
      expect(signIns).toEqual([]);
      expect(commands()).toEqual([]);
    },
  );

  test('a disconnect also cancels a connect that still waits for the service', async () => {
    const { tunnel, who, commands, signIns, snapshot } = await setUp();
    const asked = Promise.withResolvers<undefined>();
    who.refusal = asked.promise;
    const connecting = tunnel.connect({ address });
    await tunnel.disconnect(undefined);
    asked.resolve(undefined);
    await connecting;
    expect(await snapshot()).toEqual({ state: 'disconnected' });
    expect([signIns, commands().map(({ method }) => method)]).toEqual([[], ['disconnect']]);
  });

  test('a cancelled browser sign-in is told', async () => {
    const { tunnel, settled } = await setUp({
      results: [
        { ok: false, failure: 'needs-user' },
        { ok: false, failure: 'sign-in-cancelled' },
      ],
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'sign-in-cancelled' });
  });

  test('a newer connect takes over from an older one', async () => {
    const pending = Promise.withResolvers<SignInResult>();
    const { tunnel, signIns, commands, settled } = await setUp({ results: [pending.promise, done()] });
    await tunnel.connect({ address });
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await tunnel.connect({ address: 'anyconnect://other.example.net:443' });
    await settled(handshaking);
    expect(signIns[0]?.signal.aborted).toBe(true);
    pending.resolve(done());
    await settled(handshaking);
    expect(commands().filter(({ method }) => method === 'provideSession')).toHaveLength(1);
  });
});
