import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SignedIn } from '../../../../src/main/gateway/sign-in/session.ts';
import { createPreparedSessions } from '../../../../src/main/gateway/prepared-sessions.ts';

const gateway = { host: 'gw.example.net', port: 443 };
const other = { host: 'other.example.net', port: 443 };
const session = { cookie: 'c', certificatePin: 'p' };
const minutes = 60 * 1000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function setUp(
  outcome: () => Promise<SignedIn | undefined> = () =>
    Promise.resolve({ gateway, address: '192.0.2.1', session }),
) {
  const signIns: { host: string; signal: AbortSignal }[] = [];
  const prepared = createPreparedSessions((at, signal) => {
    signIns.push({ host: at.host, signal });
    return outcome();
  });
  return { prepared, signIns, settle: () => vi.advanceTimersByTimeAsync(1000) };
}

test('a gateway shown again and again is signed in to once', async () => {
  const { prepared, signIns, settle } = setUp();
  prepared.prepare(gateway);
  prepared.prepare(gateway);
  await settle();
  prepared.prepare(gateway);
  await settle();
  expect(signIns).toHaveLength(1);
  expect(prepared.take(gateway)?.made).toEqual({ gateway, address: '192.0.2.1', session });
  expect(prepared.take(gateway)).toBeUndefined();
});

test('clicking through the list of servers signs in only to the last one clicked', async () => {
  const { prepared, signIns, settle } = setUp();
  prepared.prepare(gateway);
  prepared.prepare(other);
  await settle();
  expect(signIns.map(({ host }) => host)).toEqual([other.host]);
});

test('connecting before a sign-in has begun cancels it', async () => {
  const { prepared, signIns, settle } = setUp();
  prepared.prepare(gateway);
  expect(prepared.take(gateway)).toBeUndefined();
  await settle();
  expect(signIns).toEqual([]);
});

test('a session that the gateway may have forgotten is not used, and made again when asked for', async () => {
  const { prepared, signIns, settle } = setUp();
  prepared.prepare(gateway);
  await settle();
  await vi.advanceTimersByTimeAsync(5 * minutes);
  prepared.prepare(gateway);
  await settle();
  expect(signIns).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(5 * minutes);
  expect(prepared.take(gateway)).toBeUndefined();
});

test.each([
  ['is refused', () => Promise.resolve(undefined)],
  ['throws', () => Promise.reject(new Error('network'))],
])('a sign-in that %s is silent, and tried again when asked for', async (_what, outcome) => {
  const { prepared, signIns, settle } = setUp(outcome);
  prepared.prepare(gateway);
  await settle();
  prepared.prepare(gateway);
  await settle();
  expect(signIns).toHaveLength(2);
  expect(prepared.take(gateway)).toBeUndefined();
});

test('dropping ends a sign-in that is under way, and its session is not kept', async () => {
  const pending = Promise.withResolvers<SignedIn | undefined>();
  const { prepared, signIns, settle } = setUp(() => pending.promise);
  prepared.prepare(gateway);
  await settle();
  prepared.drop();
  expect(signIns[0]?.signal.aborted).toBe(true);
  pending.resolve({ gateway, address: '192.0.2.1', session });
  expect(prepared.take(gateway)).toBeUndefined();
});

test('setting the clock back does not keep an old session in use', async () => {
  const { prepared, settle } = setUp();
  prepared.prepare(gateway);
  await settle();
  vi.setSystemTime(Date.now() - 60 * minutes);
  expect(prepared.take(gateway)).toBeUndefined();
});
