import { expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createOwnedState } from '../../../../helper/tunnel/owned-state.ts';

const connected: TunnelState = {
  state: 'connected',
  gateway: { host: 'gateway.example.net', port: 443 },
  since: 1,
  addresses: { ipv4: '198.51.100.2' },
  transport: 'dtls',
  routing: { mode: 'global', localNetwork: false },
  terms: { message: 'Your account ends on Friday.' },
};

test('what a gateway tells its user is seen by them and by administrators, and by nobody else', () => {
  const owned = createOwnedState();
  owned.owner = '1000';
  owned.set(connected);
  const { terms, ...rest } = connected;
  expect(owned.seenBy({ user: '1000', isAdministrator: false })).toEqual({ ...rest, terms });
  expect(owned.seenBy({ user: '0', isAdministrator: true })).toMatchObject({ terms });
  expect(owned.seenBy({ user: '1001', isAdministrator: false })).toEqual({ ...rest, ownedByOther: true });
});

const owner = { user: '1000', isAdministrator: false };
const other = { user: '1001', isAdministrator: false };
const root = { user: '0', isAdministrator: true };

test('what a gateway said as it ended a tunnel is seen by its user and by administrators, and by nobody else', () => {
  const goodbye = 'Ended by an administrator';
  const { gateway } = connected;
  const trying = { state: 'connecting', gateway, attempt: 2, phase: 'waiting' } as const;
  const blocked = { state: 'disconnected', reason: 'session-ended', blocked: true } as const;
  const owned = createOwnedState();
  owned.owner = owner.user;
  owned.set({ ...trying, goodbye });
  for (const client of [owner, root]) expect(owned.seenBy(client)).toEqual({ ...trying, goodbye });
  expect(owned.seenBy(other)).toEqual({ ...trying, ownedByOther: true });
  owned.set({ ...blocked, goodbye });
  expect(owned.seenBy(other)).toEqual({ ...blocked, ownedByOther: true });
  // Nobody's any more.
  owned.release();
  expect(owned.seenBy(owner)).toEqual({ ...blocked, goodbye });
  expect(owned.seenBy(other)).toEqual(blocked);
});

test('why a connection ended is told to its owner and to administrators, and others see that there is none', () => {
  const owned = createOwnedState();
  owned.owner = owner.user;
  owned.set(connected);
  owned.release();
  const ended = { state: 'disconnected', reason: 'plan-ended' } as const;
  owned.set(ended);
  expect(owned.seenBy(owner)).toEqual(ended);
  expect(owned.seenBy(root)).toEqual(ended);
  expect(owned.seenBy(other)).toEqual({ state: 'disconnected' });
  expect(owned.mayChange(other)).toBe(true);

  owned.owner = other.user;
  owned.release();
  const refused = { state: 'disconnected', reason: 'sign-in-refused' } as const;
  owned.set(refused);
  expect(owned.seenBy(other)).toEqual(refused);
  expect(owned.seenBy(owner)).toEqual({ state: 'disconnected' });
});

test.each<TunnelState>([
  { state: 'disconnected', reason: 'protection-failed' },
  { state: 'disconnected', reason: 'journal-unreadable', blocked: true },
  { state: 'invalid', cause: 'engine-absent' },
])('what concerns everybody’s traffic is told to everybody: %o', (state) => {
  const owned = createOwnedState();
  owned.owner = owner.user;
  owned.release();
  owned.set(state);
  for (const client of [owner, other, root]) expect(owned.seenBy(client)).toEqual(state);
});

test('an end that nobody had a connection for is told to all', () => {
  const owned = createOwnedState();
  const ended = { state: 'disconnected', reason: 'session-ended' } as const;
  owned.set(ended);
  expect(owned.seenBy(other)).toEqual(ended);
});
