import { afterEach, describe, expect, test, vi } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayRefusal } from '../../../../src/main/tunnel/account-plan.ts';
import type { SignedIn, SignIn, SignInResult } from '../../../../src/main/gateway/session.ts';
import { createHelperClient, type HelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import { createTunnelController } from '../../../../src/main/tunnel/tunnel-controller.ts';
import { startTestHelper, type HelperCall, type TestHelper } from '../support/helper.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';

const gateway = { host: 'gw.example.net', port: 443 };
const address = 'anyconnect://gw.example.net:443';
const session = { cookie: 'webvpn=c00kie', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
const routing = { mode: 'global', localNetwork: false } as const;
const authenticating: TunnelState = { state: 'connecting', gateway, attempt: 1, phase: 'authenticating' };
const handshaking: TunnelState = { ...authenticating, phase: 'handshaking' };
const connected: TunnelState = {
  state: 'connected',
  gateway,
  since: 1,
  addresses: {},
  transport: 'dtls',
  routing,
};

let client: HelperClient | undefined;
let helper: TestHelper | undefined;

afterEach(async () => {
  client?.close();
  await helper?.[Symbol.asyncDispose]();
  client = helper = undefined;
});

interface SetUp {
  addresses?: string[];
  /** What each sign-in in turn comes to; the last one repeats. */
  results?: (SignInResult | Promise<SignInResult>)[];
  /** Signs in instead of giving `results`. */
  signIn?: SignIn;
  signedIn?: boolean;
  helperState?: TunnelState;
  helperAbsent?: boolean;
  killSwitch?: boolean;
  resolvedAhead?: boolean;
  isBehindPortal?: () => Promise<boolean>;
}

const done = (at = '192.0.2.1'): SignInResult => ({ ok: true, signedIn: { gateway, address: at, session } });

/** A controller on a helper that behaves: connecting as asked, handshaking once it has a session. */
async function setUp(options: SetUp = {}) {
  const { addresses = ['192.0.2.1'], results = [done()], helperState } = options;
  const running = await startTestHelper();
  helper = running;
  if (helperState) running.set(helperState);
  running.on('connect', (request) => {
    const phase = request.session ? 'handshaking' : 'authenticating';
    running.set({ state: 'connecting', gateway: request.gateway, attempt: 1, phase });
  });
  running.on('provideSession', () => running.set(handshaking));
  running.on('disconnect', ({ reason }) => running.set({ state: 'disconnected', ...(reason && { reason }) }));
  if (options.helperAbsent) await running.stop();

  const { log, text } = createTestLog();
  const helperClient = createHelperClient({ socketPath: running.socketPath, version: '0.1.0', log });
  client = helperClient;
  const told: TunnelState[] = [];
  const signIns: Parameters<SignIn>[0][] = [];
  const signIn: SignIn = async (request) => {
    signIns.push(request);
    if (options.signIn) return await options.signIn(request);
    return (await results[Math.min(signIns.length, results.length) - 1]) ?? done();
  };
  const remembered = new Map<string, string>();
  const memory = createTestMemory();
  const sessions: SignedIn[] = [];
  const who = {
    isSignedIn: options.signedIn !== false,
    refusal: undefined as GatewayRefusal | undefined,
  };
  const preferred = {
    routing: routing as Routing,
    resolvers: [] as string[],
    apply: () => Promise.resolve(),
    /** Resolves when the tunnel has been told. */
    async choose(next: Routing) {
      preferred.routing = next;
      await preferred.apply();
    },
  };
  const controller = createTunnelController({
    helper: helperClient,
    addresses: {
      known: () => (options.resolvedAhead === false ? [...remembered.values()] : addresses),
      resolve: () => Promise.resolve(addresses),
      isFresh: () => options.resolvedAhead !== false,
      remembered: (host) => remembered.get(host),
      remember: (host, at) => void remembered.set(host, at),
    },
    memory,
    signIn,
    isSignedIn: () => who.isSignedIn,
    refusal: () => Promise.resolve(who.refusal),
    deadline: () => undefined,
    preferences: {
      forTunnel: () => ({
        routing: preferred.routing,
        killSwitch: options.killSwitch ?? false,
        ...(preferred.resolvers.length > 0 && { ownResolvers: preferred.resolvers }),
      }),
      subscribe: (apply) => {
        preferred.apply = apply;
      },
    },
    emit: (state) => told.push(state),
    onSession: (signedIn) => void sessions.push(signedIn),
    ...(options.isBehindPortal && { isBehindPortal: options.isBehindPortal }),
    log,
  });
  await helperClient.ready;
  const { calls } = running;
  return {
    helper: running,
    tunnel: controller.host,
    controller,
    preferred,
    told,
    signIns,
    remembered,
    memory,
    sessions,
    who,
    log: text,
    /** Calls that change something. */
    commands: () => calls.filter(({ method }) => method !== 'snapshot' && method !== 'statistics'),
    snapshot: async () => await controller.host.snapshot(undefined),
    settled: async (state: object) =>
      await vi.waitFor(async () => expect(await controller.host.snapshot(undefined)).toEqual(state)),
  };
}

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

  test.each(['gateway-unreachable', 'gateway-certificate-refused', 'sign-in-refused'] as const)(
    '%s becomes the reason, and the helper never gets a session',
    async (failure) => {
      const { tunnel, commands, settled } = await setUp({ results: [{ ok: false, failure }] });
      await tunnel.connect({ address });
      await settled({ state: 'disconnected', reason: failure });
      expect(commands().map(({ method }) => method)).toEqual(['connect', 'disconnect']);
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

  test('a look-up that was under way before the click gives the address', async () => {
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

describe('disconnect', () => {
  test('ends a sign-in under way, whose session is then not used', async () => {
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

  test('without a helper does nothing', async () => {
    const { tunnel, snapshot } = await setUp({ helperAbsent: true });
    expect(await tunnel.disconnect(undefined)).toBeNull();
    expect(await snapshot()).toEqual({ state: 'invalid', cause: 'helper-absent' });
  });
});

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

  test('ends with its session where only the user could sign in anew', async () => {
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

  test('ends where the gateway may not be used any more', async () => {
    const { helper: running, who, settled, signIns } = await setUp({ helperState: connected });
    who.refusal = 'server-removed';
    running.set({ ...authenticating, attempt: 2 });
    await settled({ state: 'disconnected', reason: 'server-removed' });
    expect(signIns).toEqual([]);
  });

  test('and an address, since it lost its app before, is asked for anew', async () => {
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
  async function restart(running: TestHelper): Promise<void> {
    await running.stop();
    running.set({ state: 'disconnected' });
    await running.start();
  }

  test('is asked for it again', async () => {
    const { helper: running, commands, settled, told } = await setUp({ helperState: connected });
    await restart(running);
    await settled(handshaking);
    expect(commands()).toMatchObject([
      { method: 'connect', params: { gateway, address: '192.0.2.1' } },
      { method: 'provideSession' },
    ]);
    expect(told, 'nobody is told in between that there is to be none').not.toContainEqual({
      state: 'disconnected',
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

  test('ends a sign-in under way, too', async () => {
    const pending = Promise.withResolvers<SignInResult>();
    const { controller, tunnel, signIns, settled } = await setUp({ results: [pending.promise] });
    await tunnel.connect({ address });
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    await controller.drop('service');
    expect(signIns[0]?.signal.aborted).toBe(true);
    pending.resolve(done());
    await settled({ state: 'disconnected', reason: 'session-ended' });
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

describe('a gateway that redirects', () => {
  const member = { host: 'member.example.net', port: 4443 };
  const there: SignedIn = { gateway: member, address: '192.0.2.7', session, banner: 'Welcome' };

  test('prepared ahead: the helper gets the gateway that gave the session, users see the one that they chose', async () => {
    const { tunnel, commands, memory, settled, remembered, sessions, signIns, controller } = await setUp({
      results: [{ ok: true, signedIn: there }],
    });
    memory.rememberRedirect(gateway, member, '/');
    await controller.prepare(address);
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    expect(sessions, 'nobody has connected yet').toEqual([]);
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands().map(({ method, params }) => [method, params])).toMatchObject([
      ['connect', { gateway: member, address: '192.0.2.7', session }],
    ]);
    expect(remembered.get(member.host)).toBe('192.0.2.7');
    expect(sessions).toEqual([there]);
  });

  test('with traffic blocked the helper is asked for the other gateway before anything is sent there', async () => {
    const { tunnel, commands, memory, settled } = await setUp({
      killSwitch: true,
      async signIn({ reach }) {
        memory.rememberRedirect(gateway, member, '/');
        expect(commands().at(-1)?.params).toMatchObject({ gateway });
        expect(await reach?.(member, '192.0.2.7')).toBe(true);
        return { ok: true, signedIn: there };
      },
    });
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands().map(({ method, params }) => [method, params])).toMatchObject([
      ['connect', { gateway, address: '192.0.2.1' }],
      ['connect', { gateway: member, address: '192.0.2.7', killSwitch: true }],
      ['provideSession', { session }],
    ]);
  });

  test('an attempt that is cancelled reaches for nothing any more', async () => {
    const answers: unknown[] = [];
    const { tunnel, commands } = await setUp({
      async signIn({ reach }) {
        await tunnel.disconnect(undefined);
        answers.push(await reach?.(member, '192.0.2.7'));
        return { ok: false, failure: 'sign-in-cancelled' };
      },
    });
    await tunnel.connect({ address });
    await vi.waitFor(() => expect(answers).toEqual([false]));
    expect(commands().filter(({ method }) => method === 'connect')).toHaveLength(1);
  });

  test.each([
    [false, 'disconnected'],
    [true, 'gateway-name-unknown'],
  ] as const)(
    'to a name that is unknown while traffic is blocked; kill switch %s',
    async (killSwitch, end) => {
      const { tunnel, commands, signIns, settled } = await setUp({
        killSwitch,
        results: [
          { ok: false, failure: 'gateway-name-unknown' },
          { ok: true, signedIn: there },
        ],
      });
      await tunnel.connect({ address });
      if (killSwitch) {
        await settled({ state: 'disconnected', reason: end });
        expect(signIns).toHaveLength(1);
      } else {
        // Nobody asked for traffic to stay blocked: it is opened, as for a form that the user answers.
        await vi.waitFor(() => expect(commands().at(-1)?.params).toMatchObject({ gateway: member, session }));
        expect(commands().map(({ method }) => method)).toEqual(['connect', 'disconnect', 'connect']);
      }
    },
  );

  test('its session is renewed where it was made', async () => {
    const {
      helper: running,
      signIns,
      memory,
      remembered,
      commands,
    } = await setUp({
      helperState: { state: 'connecting', gateway: member, attempt: 2, phase: 'handshaking' },
      results: [{ ok: true, signedIn: there }],
    });
    memory.rememberRedirect(gateway, member, '/');
    remembered.set(member.host, '192.0.2.7');
    running.set({ state: 'connecting', gateway: member, attempt: 2, phase: 'authenticating' });
    await vi.waitFor(() => expect(commands().map(({ method }) => method)).toContain('provideSession'));
    expect(signIns[0]).toMatchObject({ gateway: member, address: '192.0.2.7' });
  });
});

test('another path of the same gateway is signed in to anew', async () => {
  const { tunnel, signIns, commands, settled, memory, controller } = await setUp();
  await controller.prepare(`${address}/one`);
  await vi.waitFor(() => expect(signIns).toHaveLength(1));
  await tunnel.connect({ address: `${address}/two` });
  await settled(handshaking);
  expect(signIns).toHaveLength(2);
  expect(memory.path(gateway)).toBe('/two');
  expect(commands()[0]?.params).toMatchObject({ gateway });
});

describe('a captive portal', () => {
  const unreachable: SignInResult = { ok: false, failure: 'gateway-unreachable' };
  const behindPortal = { results: [unreachable], isBehindPortal: async () => true };

  test('is the reason where it keeps the gateway out of reach', async () => {
    const { tunnel, settled } = await setUp(behindPortal);
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'captive-portal' });
  });

  test('is not the reason of a gateway that answers', async () => {
    const { tunnel, settled } = await setUp({
      ...behindPortal,
      results: [{ ok: false, failure: 'sign-in-refused' }],
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'sign-in-refused' });
  });

  test('is known from before where the kill switch blocks every probe', async () => {
    const isBehindPortal = vi.fn(async () => true);
    const { tunnel, helper: running, settled, controller } = await setUp({ ...behindPortal, isBehindPortal });
    running.on('disconnect', ({ reason }) =>
      running.set({ state: 'disconnected', blocked: true, ...(reason && { reason }) }),
    );
    await controller.prepare(address);
    expect(isBehindPortal).toHaveBeenCalledTimes(1);
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'captive-portal', blocked: true });
    expect(isBehindPortal).toHaveBeenCalledTimes(1);
  });

  test('is passed, and the connection that it kept away is tried again', async () => {
    const { tunnel, controller, settled, commands } = await setUp({
      results: [unreachable, done()],
      isBehindPortal: async () => true,
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'captive-portal' });
    controller.portalPassed();
    await settled(handshaking);
    await tunnel.disconnect(undefined);
    const count = commands().length;
    controller.portalPassed();
    await settled({ state: 'disconnected' });
    expect(commands()).toHaveLength(count);
  });

  test('without one the reason stays', async () => {
    const { tunnel, settled } = await setUp({ ...behindPortal, isBehindPortal: async () => false });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'gateway-unreachable' });
  });
});
