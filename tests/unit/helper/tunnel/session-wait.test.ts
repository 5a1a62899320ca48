import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAttachedClients } from '../../../../helper/tunnel/attached-clients.ts';
import {
  createSessionSlot,
  noClientLimitMs,
  type WaitPolicy,
} from '../../../../helper/tunnel/session-wait.ts';

const session = { cookie: 'webvpn=abc', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
const client = { user: '1000', isAdministrator: false };
const others = { user: '1001', isAdministrator: false };
const anyClient: WaitPolicy = { kind: 'any-client', maySignIn: ({ user }) => user === client.user };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function wait(policy: WaitPolicy | (() => WaitPolicy)) {
  const clients = createAttachedClients();
  clients.attach(client);
  const slot = createSessionSlot();
  const abort = new AbortController();
  const outcome = slot.wait({
    clients,
    policy: typeof policy === 'function' ? policy : () => policy,
    signal: abort.signal,
  });
  const seen = vi.fn<(ended: unknown) => void>();
  outcome.then(seen, () => seen('aborted')).catch(() => undefined);
  return { clients, slot, abort, outcome, seen };
}

test('a session that is provided ends the wait, and a second one is not taken', async () => {
  const { slot, outcome } = wait(anyClient);
  expect(slot.provide(session)).toBe(true);
  expect(await outcome).toEqual({ session });
  expect(slot.provide(session)).toBe(false);
});

test('no session is taken before or after a wait', async () => {
  expect(createSessionSlot().provide(session)).toBe(false);
  const { slot, abort, outcome } = wait({ kind: 'endless' });
  abort.abort();
  await expect(outcome).rejects.toThrow('abort');
  expect(slot.provide(session)).toBe(false);
});

test('without any client that may sign in, a lost session is given up after a minute', async () => {
  const { clients, seen, outcome } = wait(anyClient);
  await vi.advanceTimersByTimeAsync(10 * noClientLimitMs);
  clients.detach(client);
  await vi.advanceTimersByTimeAsync(noClientLimitMs - 1);
  clients.attach(client);
  await vi.advanceTimersByTimeAsync(10 * noClientLimitMs);
  expect(seen).not.toHaveBeenCalled();
  clients.attach(others);
  clients.detach(client);
  await vi.advanceTimersByTimeAsync(noClientLimitMs);
  expect(await outcome).toEqual({ givenUp: 'session-ended' });
});

test('a first sign-in is given up with the client that asked for it, whoever else is there', async () => {
  const { clients, outcome } = wait({ kind: 'client', client });
  clients.attach(others);
  clients.detach(client);
  expect(await outcome).toEqual({ givenUp: 'sign-in-cancelled' });
});

test('with the kill switch on nothing but a session or a disconnect ends the wait', async () => {
  const { clients, slot, seen, outcome } = wait({ kind: 'endless' });
  clients.detach(client);
  await vi.advanceTimersByTimeAsync(100 * noClientLimitMs);
  expect(seen).not.toHaveBeenCalled();
  slot.provide(session);
  expect(await outcome).toEqual({ session });
});

test('what is waited for is asked again when a client comes or goes', async () => {
  let policy: WaitPolicy = { kind: 'endless' };
  const { clients, outcome, seen } = wait(() => policy);
  clients.attach(others);
  await vi.advanceTimersByTimeAsync(10 * noClientLimitMs);
  expect(seen).not.toHaveBeenCalled();
  policy = { kind: 'client', client };
  clients.detach(client);
  expect(await outcome).toEqual({ givenUp: 'sign-in-cancelled' });
});
