import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { helperError, type HelperMethodName, type HelperParams } from '#shared/helper/protocol.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { attachAs } from '../support/callers/attach-as.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** Two users of the machine who may both use the helper (Debian policy §9.2.2: no accounts have these numbers). */
const [ownerUid, otherUid] = [64_950, 64_951];
const args = ['--allow-user', String(ownerUid), '--allow-user', String(otherUid)];

let net: HelperLab;
const clients: TestClient[] = [];

beforeAll(async () => {
  net = await createHelperLab();
});

beforeEach(async () => {
  await net.start({ args });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client[Symbol.dispose]();
  const root = await net.attach();
  await root.call('disconnect', {});
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  await net.end('SIGTERM');
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

async function as(uid: number): Promise<TestClient> {
  const client = await attachAs(net, uid);
  clients.push(client);
  return client;
}

async function connectAs(uid: number): Promise<TestClient> {
  const client = await as(uid);
  await client.call('connect', net.request({ session: await net.signIn() }));
  await client.until('connected');
  return client;
}

const session = { cookie: 'webvpn=abc', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };

/** Everything that changes a connection. */
const changes = (): { [Name in HelperMethodName]: [Name, HelperParams<Name>] }[HelperMethodName][] => [
  ['setRouting', { routing: { mode: 'pac', routeDomains: ['example.com'], blockedDomains: [] } }],
  ['setRouting', { routing: { mode: 'global', localNetwork: true }, killSwitch: false }],
  ['storeLists', { lists: { mode: 'pac', routeDomains: ['example.com'], blockedDomains: [] } }],
  ['provideSession', { session }],
  ['setAddresses', { otherAddresses: [] }],
  [
    'holdConnection',
    {
      gateway: net.request().gateway,
      address: addresses.gateway.ipv4,
      trust: { certificatePin: session.certificatePin },
    },
  ],
  ['dropHeld', {}],
  ['connect', net.request({ session, killSwitch: false })],
  ['setDeadline', { deadline: null }],
  ['disconnect', {}],
  ['disconnect', { reason: 'trial-ended' }],
];

async function expectAllRefused(client: TestClient): Promise<void> {
  for (const [method, params] of changes()) {
    await expect(client.call(method, params)).rejects.toMatchObject({ code: helperError.notOwner });
  }
}

/** Nothing that this client asks for is done, and nothing is changed by it. */
async function expectRefused(client: TestClient): Promise<void> {
  const before = await net.lab.user.snapshot();
  await expectAllRefused(client);
  expect(await net.lab.user.snapshot()).toBe(before);
}

const throughTunnel = async () => (await net.lab.user.seenFrom()) === addresses.gateway.ipv4;

test('another user sees the connection from its first moment, and only its owner and root can change it', async () => {
  const owner = await as(ownerUid);
  const other = await as(otherUid);
  const ready = await net.signIn();
  const asked = owner.call('connect', net.request());
  await other.until('connecting');
  await expectAllRefused(other);
  await asked;
  await owner.call('provideSession', { session: ready });
  await owner.until('connected');
  await other.until('connected');
  // Each is told by itself what is still learnt of the tunnel.
  await vi.waitFor(() => expect(other.states.at(-1)).toEqual({ ...owner.states.at(-1), ownedByOther: true }));
  await expectRefused(other);
  expect(await throughTunnel()).toBe(true);
  expect(await other.call('statistics', {})).toMatchObject({ received: expect.any(Number) as number });

  const { lines } = await owner.call('readLog', {});
  expect(lines.some((line) => line.includes('"message":"engine"'))).toBe(true);
  expect(lines.join()).not.toContain('webvpn=');
  expect(await other.call('readLog', {})).toEqual({ lines: [] });

  await owner.call('setRouting', { routing: { mode: 'global', localNetwork: true } });
  await other.until('connected', {
    where: ({ routing, ownedByOther }) => routing.mode === 'global' && routing.localNetwork && !!ownedByOther,
  });
  const root = await net.attach();
  await vi.waitFor(() => expect(root.states.at(-1)).toEqual(owner.states.at(-1)));
  await root.call('setRouting', { routing: { mode: 'global', localNetwork: false } });
  await owner.until('connected', {
    where: ({ routing }) => routing.mode === 'global' && !routing.localNetwork,
    seen: owner.states.length - 1,
  });
  await expectRefused(other);
  await root.call('disconnect', {});
  expect(await other.until('disconnected', { seen: 1 })).toEqual({ state: 'disconnected' });
});

if (isExhaustive)
  test('a connection that is being made is its user’s from the first moment, also on another connection', async () => {
    const owner = await as(ownerUid);
    const other = await as(otherUid);
    const ready = await net.signIn();
    const asked = owner.call('connect', net.request({ killSwitch: true }));
    await other.until('connecting');
    await expectAllRefused(other);
    await asked;
    await expectRefused(other);
    const again = await as(ownerUid);
    await again.call('provideSession', { session: ready });
    await again.until('connected');
    await again.call('disconnect', {});
    // Nobody's: it is the next one's who connects.
    expect(await other.until('disconnected', { seen: 1 })).toEqual({ state: 'disconnected' });
    const connected = await connectAs(otherUid);
    await owner.until('connected', { where: ({ ownedByOther }) => !!ownedByOther });
    await vi.waitFor(() =>
      expect(owner.states.at(-1)).toEqual({ ...connected.states.at(-1), ownedByOther: true }),
    );
    await expectRefused(owner);
  });

test('why a connection ended is told to its owner and root, and another user only sees that it is gone', async () => {
  const owner = await as(ownerUid);
  const other = await as(otherUid);
  await owner.call('connect', net.request());
  await other.until('connecting');
  await owner.call('disconnect', { reason: 'plan-ended' });
  const ended = { state: 'disconnected', reason: 'plan-ended' };
  expect(await owner.until('disconnected', { seen: 1 })).toEqual(ended);
  expect(await other.until('disconnected', { seen: 1 })).toEqual({ state: 'disconnected' });
  expect((await net.attach()).states).toEqual([ended]);
  expect((await as(otherUid)).states).toEqual([{ state: 'disconnected' }]);
});

test('what the kill switch blocks stays the owner’s over a crash of the helper, and root can open it', async () => {
  const owner = await as(ownerUid);
  await owner.call('connect', net.request({ killSwitch: true }));
  await owner.call('disconnect', { reason: 'session-ended' });
  const other = await as(otherUid);
  expect(other.states).toEqual([
    { state: 'disconnected', reason: 'session-ended', blocked: true, ownedByOther: true },
  ]);
  await expectRefused(other);
  // The owner logs out.
  owner[Symbol.dispose]();
  await net.end('SIGKILL');
  await net.start({ args });
  const later = await as(otherUid);
  expect(later.states[0]).toMatchObject({ state: 'connecting', ownedByOther: true });
  await expectRefused(later);
  expect(await throughTunnel()).toBe(false);
  await (await net.attach()).call('disconnect', {});
  expect(await later.until('disconnected')).toEqual({ state: 'disconnected' });
});

if (isExhaustive)
  test('a connection that another user could not sign in for is given up, whoever else is there', async () => {
    const owner = await as(ownerUid);
    const other = await as(otherUid);
    await owner.call('connect', net.request());
    owner[Symbol.dispose]();
    await other.until('disconnected', { seen: 1 });
    expect(other.states.at(-1)).toEqual({ state: 'disconnected' });
    expect((await as(ownerUid)).states).toEqual([{ state: 'disconnected', reason: 'sign-in-cancelled' }]);
  });

if (isExhaustive)
  test('a connection that was lost with a helper is told to its owner and root, and anybody may connect then', async () => {
    await connectAs(ownerUid);
    await net.end('SIGKILL');
    await net.start({ args });
    const lost = { state: 'disconnected', reason: 'helper-restarted' };
    expect((await as(ownerUid)).states).toEqual([lost]);
    expect((await net.attach()).states).toEqual([lost]);
    const other = await as(otherUid);
    expect(other.states).toEqual([{ state: 'disconnected' }]);
    await other.call('connect', net.request({ session: await net.signIn() }));
    await other.until('connected');
    await other.call('disconnect', {});
  });
