import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFirst } from '#node/anyconnect/address-race.ts';
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
const otherKey: Failed = { ok: false, failure: 'gateway-certificate-refused', detail: 'another key' };
const silent: Failed = { ok: false, failure: 'gateway-unreachable', detail: 'no answer' };

/** What becomes of each address, once that is decided. */
function gateway(...addresses: string[]) {
  const tries = new Map<string, { settle: (result: Opened | Failed) => void; signal: AbortSignal }>();
  const closed: string[] = [];
  const result = openFirst<Opened>(
    addresses,
    (address, signal) => {
      const { promise, resolve } = Promise.withResolvers<Opened | Failed>();
      tries.set(address, { settle: resolve, signal });
      return promise;
    },
    ({ address }) => void closed.push(address),
  );
  return {
    result,
    closed,
    tried: () => [...tries.keys()],
    isAborted: (address: string) => tries.get(address)?.signal.aborted,
    opens: (address: string) => tries.get(address)?.settle({ ok: true, address }),
    fails: (address: string, how: Failed = refused) => tries.get(address)?.settle(how),
    /** So that whatever follows without a timer has happened. */
    settled: () => vi.advanceTimersByTimeAsync(0),
  };
}

test('one that answers in time is the only one that is tried', async () => {
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

// nodejs/node issue 54359: an earlier one that is only slow must not be given up for a later one that has just begun.
test('one that is slow goes on beside the later ones, and may win', async () => {
  const race = gateway('a', 'b');
  await vi.advanceTimersByTimeAsync(300);
  expect(race.isAborted('a')).toBe(false);
  race.opens('a');
  expect(await race.result).toMatchObject({ address: 'a' });
  expect(race.isAborted('b')).toBe(true);
});

// tutao/tutanota pull request 11406: the losers are closed, also one that is made in the same moment.
test('of two that are made at once, one is closed', async () => {
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
