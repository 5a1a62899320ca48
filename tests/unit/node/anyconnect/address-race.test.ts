import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFirst, type AddressTry } from '#node/anyconnect/address-race.ts';
import type { GatewayTlsResult } from '#node/anyconnect/gateway-tls.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Failed = Extract<GatewayTlsResult, { ok: false }>;
type Opened = { ok: true; address: string };
const refused: Failed = {
  ok: false,
  failure: 'gateway-unreachable',
  detail: 'no',
  cause: 'gateway-refuses-connections',
};
const noRoute: Failed = { ...refused, cause: 'gateway-without-route' };
const otherKey = { ok: false, failure: 'gateway-certificate-refused', detail: 'another key' } as const;
const outdated: Failed = { ...otherKey, cause: 'gateway-certificate-dates' };
const silent: Failed = { ok: false, failure: 'gateway-unreachable', detail: 'no answer' };

/** What becomes of each address, once that is decided. */
const gateway = (...addresses: string[]) => gatewayUntil(undefined, ...addresses);
function gatewayUntil(until: AbortSignal | undefined, ...addresses: string[]) {
  const tries = new Map<string, { settle: (result: Opened | Failed) => void } & AddressTry>();
  const closed: string[] = [];
  const result = openFirst<Opened>(
    addresses,
    (address, one) => {
      const { promise, resolve } = Promise.withResolvers<Opened | Failed>();
      tries.set(address, { settle: resolve, ...one });
      return promise;
    },
    ({ address }) => void closed.push(address),
    until,
  );
  return {
    result,
    closed,
    tried: () => [...tries.keys()],
    connects: (address: string, tookMs: number) => tries.get(address)?.onConnected(tookMs),
    isAborted: (address: string) => tries.get(address)?.signal.aborted,
    opens: (address: string) => tries.get(address)?.settle({ ok: true, address }),
    fails: (address: string, how: Failed = refused) => tries.get(address)?.settle(how),
    /** So that whatever follows without a timer has happened. */
    settled: () => vi.advanceTimersByTimeAsync(0),
  };
}

test('an address that answers in time is the only one that is tried', async () => {
  const race = gateway('a', 'b');
  await vi.advanceTimersByTimeAsync(100);
  race.opens('a');
  expect(await race.result).toMatchObject({ ok: true, address: 'a' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(race.tried()).toEqual(['a']);
});

test('the next one is tried when the last one has failed, at once', async () => {
  const race = gateway('a', 'b');
  race.fails('a');
  await race.settled();
  expect(race.tried()).toEqual(['a', 'b']);
  race.opens('b');
  expect(await race.result).toMatchObject({ address: 'b' });
});

test('while one is silent, the others are tried one after the other, and it is given up for the first that answers', async () => {
  const race = gateway('a', 'b', 'c');
  await vi.advanceTimersByTimeAsync(240);
  expect(race.tried()).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(20);
  expect(race.tried()).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(260);
  expect(race.tried()).toEqual(['a', 'b', 'c']);
  race.opens('b');
  expect(await race.result).toMatchObject({ address: 'b' });
  expect([race.isAborted('a'), race.isAborted('c')]).toEqual([true, true]);
});

// Whoever has won looks on whether the post-quantum share passes after all (first-message.ts).
test('the one that wins is not given up with the others', async () => {
  const race = gateway('a', 'b');
  await vi.advanceTimersByTimeAsync(300);
  race.opens('b');
  await race.result;
  expect([race.isAborted('a'), race.isAborted('b')]).toEqual([true, false]);
});

// nodejs/node issue 54359: an earlier one that is only slow must not be given up for a later one that has just begun.
test('an address that is slow goes on beside the later ones, and may win', async () => {
  const race = gateway('a', 'b');
  await vi.advanceTimersByTimeAsync(300);
  expect(race.isAborted('a')).toBe(false);
  race.opens('a');
  expect(await race.result).toMatchObject({ address: 'a' });
  expect(race.isAborted('b')).toBe(true);
});

// A far gateway that answers is not asked at its other address as well, which would count there as another connection.
test('an address that has answered gets the time for TLS before the next one is tried', async () => {
  const race = gateway('a', 'b');
  await vi.advanceTimersByTimeAsync(200);
  race.connects('a', 200);
  await vi.advanceTimersByTimeAsync(1_040);
  expect(race.tried()).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(20);
  expect(race.tried()).toEqual(['a', 'b']);
  race.connects('a', 200);
  race.opens('b');
  expect(await race.result).toMatchObject({ address: 'b' });
  expect(vi.getTimerCount()).toBe(0);
});

test('nothing more is tried once nobody waits any longer', async () => {
  const controller = new AbortController();
  const race = gatewayUntil(controller.signal, 'a', 'b');
  controller.abort();
  expect(race.isAborted('a')).toBe(true);
  race.fails('a', silent);
  expect(await race.result).toEqual(silent);
  expect(race.tried()).toEqual(['a']);
});

// tutao/tutanota pull request 11406: the losers are closed, also one that is made in the same moment.
test('the second of two connections that are made at once is closed', async () => {
  const race = gateway('a', 'b');
  await vi.advanceTimersByTimeAsync(300);
  race.opens('b');
  race.opens('a');
  expect(await race.result).toMatchObject({ address: 'b' });
  await race.settled();
  expect(race.closed).toEqual(['a']);
});

test.each<[Failed, Failed[]]>([
  [refused, [noRoute, refused]],
  [noRoute, [noRoute, noRoute]],
  [refused, [silent, refused]],
  // Somebody else may be at an address that has passed on, while the gateway does not answer.
  [silent, [otherKey, silent]],
  [silent, [outdated, silent]],
  [outdated, [noRoute, outdated]],
  [otherKey, [noRoute, otherKey]],
  [
    { ok: false, failure: 'certificate-required', detail: 'yours' },
    [refused, { ok: false, failure: 'certificate-required', detail: 'yours' }],
  ],
])('if all fail, the result is the one that says most: %o', async (wanted, failures) => {
  const race = gateway('a', 'b');
  await vi.advanceTimersByTimeAsync(300);
  for (const [index, failure] of failures.entries()) race.fails(['a', 'b'][index] ?? '', failure);
  expect(await race.result).toEqual(wanted);
});

describe('on a machine that stands still for longer than the pause', () => {
  beforeEach(() => {
    vi.useRealTimers();
  });

  /** Nothing of this process runs meanwhile, whereas the kernel goes on. */
  const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);

  test('one that has answered in time is the only one that is tried', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const race = gateway('a', 'b');
    const socket = connect(port, '127.0.0.1', () => race.opens('a'));
    standStill();
    expect(await race.result).toMatchObject({ address: 'a' });
    expect(race.tried()).toEqual(['a']);
    socket.destroy();
    server.close();
  });

  test('one that has not is not waited for', async () => {
    const race = gateway('a', 'b');
    standStill();
    await vi.waitFor(() => expect(race.tried()).toEqual(['a', 'b']));
    race.opens('b');
    expect(await race.result).toMatchObject({ address: 'b' });
  });
});
