import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { EngineEnd, EngineOptions } from '../../../../helper/engine/engine-port.ts';
import { createAddressTurns } from '../../../../helper/tunnel/address-turns.ts';
import { handshakeLimitMs, startLimitMs } from '../../../../helper/tunnel/attempt-limit.ts';
import { runConnection, type ConnectionRunOptions } from '../../../../helper/tunnel/connection-run.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const nothing = () => undefined;

const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

/**
 * A connection to a gateway with three addresses, with an engine that does as `onRelease` says until it is killed. The
 * first ones cannot be started.
 */
function run(
  onRelease: (begin: () => void, endWith: (end: EngineEnd, goodbye?: string) => void) => void,
  {
    killSwitch = false,
    notStarted = 0,
    isSignedIn = true,
  }: { killSwitch?: boolean; notStarted?: number; isSignedIn?: boolean } = {},
) {
  const seen = { launched: [] as string[], why: undefined as string | undefined };
  const states: TunnelState[] = [];
  const said: ConnectionRunOptions['said'] = {};
  const problems: ReturnType<ConnectionRunOptions['adapter']['problems']>[number][] = [];
  let onProblems: () => void = nothing;
  const launch = (options: EngineOptions) => {
    seen.launched.push(options.address);
    if (seen.launched.length <= notStarted) throw new Error('no file descriptor is left for a program');
    let hasBegun = false;
    const { promise: ended, resolve } = Promise.withResolvers<EngineEnd>();
    return {
      racesAddresses: true,
      ended,
      kill: () => resolve(hasBegun ? 'gateway-unreachable' : 'failed'),
      stop: () => Promise.resolve(),
      release: () =>
        onRelease(
          () => {
            hasBegun = true;
            options.onBegun();
          },
          (end, goodbye) => {
            if (goodbye !== undefined) options.onGoodbye(goodbye);
            resolve(end);
          },
        ),
    };
  };
  const nothingLater = () => Promise.resolve(undefined);
  const connection = {
    gateway: { host: 'vpn.example', port: 443 },
    address: '192.0.2.1',
    routing: { mode: 'global' },
    killSwitch,
    owner: '1000',
  };
  const adapter = {
    apply: nothingLater,
    moveTo: nothingLater,
    roundTripMs: nothingLater,
    limitSegments: nothingLater,
    watchUplink: () => nothing,
    watchDevice: nothing,
    watchProblems: (onChange: () => void) => void (onProblems = onChange),
    problems: () => problems,
    followDatagrams: nothing,
  };
  const options = {
    connection,
    addresses: createAddressTurns('192.0.2.1', addresses.slice(1)),
    session: isSignedIn ? { cookie: 'webvpn=abc', certificatePin: 'pin-sha256:AAAA' } : undefined,
    sessions: { wait: () => new Promise(nothing) },
    reachabilityTargets: [],
    wake: { call: nothing, within: nothingLater },
    renewal: { call: nothing, listen: nothing },
    adapter,
    engines: { choose: () => ({ kind: 'own', launch, launchHolding: undefined }), exclude: () => false },
    log: { info: nothing, warn: nothing, error: nothing },
    signal: new AbortController().signal,
    said,
    setState: (state: TunnelState) => states.push(state),
    onBlocked: nothing,
    onEngineLeft: nothing,
  } as unknown as ConnectionRunOptions;
  void runConnection(options).then(
    (why) => (seen.why = why),
    (error: unknown) => (seen.why = String(error)),
  );
  return { seen, states, said, problems, problemsChange: () => onProblems() };
}

test('a gateway that does not answer is given up once its time is over, counted from the first packet', async () => {
  const { seen } = run((begin) => setTimeout(begin, 30_000));
  await vi.advanceTimersByTimeAsync(30_000 + handshakeLimitMs - 100);
  expect(seen).toEqual({ launched: ['192.0.2.1'], why: undefined });
  await vi.advanceTimersByTimeAsync(200);
  expect(seen).toEqual({ launched: ['192.0.2.1'], why: 'gateway-unreachable' });
});

test('a program that never begins is given up once its time is over: no other address would help', async () => {
  const { seen } = run(() => undefined);
  await vi.advanceTimersByTimeAsync(startLimitMs - 100);
  expect(seen).toEqual({ launched: ['192.0.2.1'], why: undefined });
  await vi.advanceTimersByTimeAsync(200);
  expect(seen).toEqual({ launched: ['192.0.2.1'], why: 'engine-failed' });
});

test('a program that says again that it begins gets no more time', async () => {
  const { seen } = run((begin) => {
    begin();
    setTimeout(begin, handshakeLimitMs / 2);
  });
  await vi.advanceTimersByTimeAsync(handshakeLimitMs + 100);
  expect(seen.why).toBe('gateway-unreachable');
});

test('a connection that may not be given up is tried again while no program can be started', async () => {
  const { seen } = run((begin) => begin(), { killSwitch: true, notStarted: 2 });
  await vi.advanceTimersByTimeAsync(100);
  expect(seen).toEqual({ launched: ['192.0.2.1', '192.0.2.1', '192.0.2.1'], why: undefined });
});

test('a connection that never was up is given up if no program can be started', async () => {
  const { seen } = run((begin) => begin(), { notStarted: 1 });
  await vi.advanceTimersByTimeAsync(100);
  expect(seen).toEqual({ launched: ['192.0.2.1'], why: 'engine-failed' });
});

test('what a gateway says as it ends a tunnel is in the state while the connection is tried again', async () => {
  const ends = ['Idle\u202e timeout', '\u200e', undefined];
  const { states, said } = run(
    (_begin, endWith) => {
      if (ends.length > 0) endWith('failed', ends.shift());
    },
    { killSwitch: true },
  );
  await vi.advanceTimersByTimeAsync(100);
  const first = { state: 'connecting', gateway: { host: 'vpn.example', port: 443 }, phase: 'handshaking' };
  expect(states[0]).toEqual({ ...first, attempt: 1 });
  // Neither silence nor what nobody sees takes its place.
  expect(states.at(-1)).toEqual({ ...first, attempt: 4, goodbye: 'Idle timeout' });
  const later = states.filter((state) => state.state === 'connecting' && state.attempt > 1);
  expect(later.every((state) => 'goodbye' in state && state.goodbye === 'Idle timeout')).toBe(true);
  expect(said).toEqual({ goodbye: 'Idle timeout' });
});

test('what a gateway says as it ends the only attempt is known when that is given up', async () => {
  const { seen, said } = run((_begin, endWith) => endWith('failed', 'No licence'));
  await vi.advanceTimersByTimeAsync(100);
  expect([seen.why, said]).toEqual(['engine-failed', { goodbye: 'No licence' }]);
});

test('other routes that come first are told with the next step of a connection that is not up', async () => {
  const { states, problems } = run(
    (_begin, endWith) => setTimeout(() => endWith('gateway-unreachable'), 1_000),
    {
      killSwitch: true,
    },
  );
  await vi.advanceTimersByTimeAsync(500);
  expect(states.at(-1)).toMatchObject({ attempt: 1 });
  expect(states.at(-1)).not.toHaveProperty('problems');
  problems.push('dns-contested', 'routes-overruled');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(states.at(-1)).toMatchObject({ attempt: 2, problems: ['routes-overruled'] });
  problems.length = 0;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(states.at(-1)).toMatchObject({ attempt: 3 });
  expect(states.at(-1)).not.toHaveProperty('problems');
});

test('other routes that come first are told while the first sign-in is waited for', async () => {
  const { states, problems, problemsChange } = run(nothing, { killSwitch: true, isSignedIn: false });
  await vi.advanceTimersByTimeAsync(100);
  expect(states).toMatchObject([{ phase: 'authenticating' }]);
  problems.push('routes-overruled');
  problemsChange();
  expect(states.at(-1)).toMatchObject({ phase: 'authenticating', problems: ['routes-overruled'] });
});

test('other routes that come first just as a gateway says goodbye are told with its words', async () => {
  const { states, problems, problemsChange } = run(
    (_begin, endWith) =>
      setTimeout(() => {
        endWith('failed', 'Idle timeout');
        problems.push('routes-overruled');
        void Promise.resolve()
          .then(() => undefined)
          .then(problemsChange);
      }, 1_000),
    { killSwitch: true },
  );
  await vi.advanceTimersByTimeAsync(1_100);
  const after = states.filter((state) => 'problems' in state);
  expect(after).not.toEqual([]);
  for (const state of after) expect(state).toMatchObject({ goodbye: 'Idle timeout' });
});
