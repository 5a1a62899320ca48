import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SignedIn } from '../../../../src/main/gateway/sign-in/session.ts';
import {
  createPreparedSessions,
  type PreparedOutcome,
} from '../../../../src/main/gateway/prepared-sessions.ts';

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
  outcome: () => Promise<PreparedOutcome> = () => Promise.resolve({ gateway, address: '192.0.2.1', session }),
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
  ['does not reach the gateway', () => Promise.resolve(undefined)],
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

test('dropping ends a sign-in that is in progress, and its session is not kept', async () => {
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

describe('a sign-in that the gateway refuses', () => {
  const refusing = () => setUp(() => Promise.resolve('refused'));
  type Prepared = ReturnType<typeof setUp>;
  /** As long as somebody looks at the app. */
  async function lookFor({ prepared, settle }: Prepared, count: number): Promise<void> {
    for (let looks = 0; looks < count; looks += 1) {
      prepared.prepare(gateway);
      await settle();
      await vi.advanceTimersByTimeAsync(minutes);
    }
  }

  test('is not tried again soon: eight wrong passwords in twenty minutes are a ban', async () => {
    const all = refusing();
    await lookFor(all, 10);
    expect(all.signIns).toHaveLength(1);
    await lookFor(all, 50);
    expect(all.signIns.length).toBeGreaterThan(1);
    expect(all.signIns.length).toBeLessThanOrEqual(3);
  });

  test('keeps no other gateway from being signed in to', async () => {
    const all = refusing();
    await lookFor(all, 1);
    all.prepared.prepare(other);
    await all.settle();
    expect(all.signIns.map(({ host }) => host)).toEqual([gateway.host, other.host]);
  });

  test.each([
    ['the credentials have changed', ({ prepared }: Prepared) => prepared.drop()],
    ['the gateway has accepted another one', ({ prepared }: Prepared) => prepared.accepted(gateway)],
  ])('is tried again once %s', async (_what, change) => {
    const all = refusing();
    await lookFor(all, 2);
    change(all);
    await lookFor(all, 1);
    expect(all.signIns).toHaveLength(2);
  });
});
