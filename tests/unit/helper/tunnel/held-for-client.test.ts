import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { maxHeldMs, type HoldRequest } from '#shared/helper/protocol.ts';
import type { HoldingEngine, LaunchEngine } from '../../../../helper/engine/engine-port.ts';
import { createLog } from '../../../../helper/log.ts';
import { createAttachedClients, type Client } from '../../../../helper/tunnel/attached-clients.ts';
import { createHeldForClient } from '../../../../helper/tunnel/held-for-client.ts';

/** What the helper does with an engine that holds a connection, where the real one would take minutes. */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const gateway = { host: 'gw.example.net', port: 443 };
const trust = { certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
const request: HoldRequest = { gateway, address: '192.0.2.1', trust };
const session = { ...trust, cookie: 'webvpn=abc' };
const connection = {
  gateway,
  address: '192.0.2.1',
  routing: { mode: 'global', localNetwork: false },
  killSwitch: false,
  owner: '1000',
} as const;

function setUp() {
  const clients = createAttachedClients();
  const events: string[] = [];
  let engines = 0;
  let changeWay: () => void = () => undefined;
  const carried: LaunchEngine = () => expect.fail('no tunnel is begun');
  const launchHolding = (): HoldingEngine => {
    engines += 1;
    const name = `engine ${engines}`;
    events.push(`${name} starts`);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    return {
      gone,
      carry: carried,
      async stop() {
        events.push(`${name} stops`);
        await Promise.resolve();
        events.push(`${name} is gone`);
        resolve();
      },
    };
  };
  const held = createHeldForClient({
    adapter: {
      device: { name: 'wm0', packetHeader: 'virtio', open: () => expect.fail('nothing is opened') },
      ownEngine: () => expect.fail('nothing is started'),
      secretFile: () => expect.fail('no secret'),
      watchWay(_address, onChange) {
        changeWay = onChange;
        return () => (changeWay = () => undefined);
      },
    },
    engines: {
      found: ['own'],
      choose: () => ({ kind: 'own', launch: carried, launchHolding }),
    },
    clients,
    isOpen: () => true,
    log: createLog(() => undefined),
  });
  const attach = (user = '1000'): Client => {
    const client = { user, isAdministrator: false };
    clients.attach(client);
    return client;
  };
  return { held, clients, attach, events, carried, changeWay: () => changeWay() };
}

test('a held connection is closed before the gateway would close it', async () => {
  const { held, attach, events } = setUp();
  expect(await held.open(attach(), request)).toBe('held');
  await vi.advanceTimersByTimeAsync(maxHeldMs - 1);
  expect(events).toEqual(['engine 1 starts']);
  await vi.advanceTimersByTimeAsync(1);
  expect(events).toEqual(['engine 1 starts', 'engine 1 stops', 'engine 1 is gone']);
  expect(held.take(connection)).toBeUndefined();
});

test('the next one is opened when the last one is gone', async () => {
  const { held, attach, events } = setUp();
  const client = attach();
  await held.open(client, request);
  await held.open(client, request);
  expect(events).toEqual(['engine 1 starts', 'engine 1 stops', 'engine 1 is gone', 'engine 2 starts']);
});

test('a tunnel takes it, and nothing ends it any more', async () => {
  const { held, attach, events, clients, carried, changeWay } = setUp();
  const client = attach();
  await held.open(client, request);
  const taken = held.take(connection);
  expect(taken?.launchFor(session, ['192.0.2.1'])).toBe(carried);
  taken?.drop();
  changeWay();
  clients.detach(client);
  await vi.advanceTimersByTimeAsync(maxHeldMs);
  expect(events).toEqual(['engine 1 starts']);
  expect(taken?.launchFor(session, ['192.0.2.1'])).toBeUndefined();
});

const otherPin = `pin-sha256:${'B'.repeat(43)}=`;
test.each([
  ['another gateway', { connection: { ...connection, gateway: { ...gateway, port: 444 } } }],
  ['another address', { connection: { ...connection, address: '192.0.2.2' } }],
  ['another user', { connection: { ...connection, owner: '1001' } }],
  ['a proxy', { connection: { ...connection, proxy: { protocol: 'http', port: 3128 } as const } }],
  ['another key', { session: { ...session, certificatePin: otherPin } }],
  ['a client certificate', { session: { ...session, clientCertificate: { certificate: 'a', key: 'b' } } }],
  ['fewer addresses', { request: { ...request, otherAddresses: ['192.0.2.9'] } }],
])('a tunnel with %s does not, and it is dropped', async (_what, changes) => {
  const asked = { connection, session, request, ...changes };
  const { held, attach, events } = setUp();
  await held.open(attach(), asked.request);
  expect(held.take(asked.connection)?.launchFor(asked.session, ['192.0.2.1'])).toBeUndefined();
  expect(events).toContain('engine 1 stops');
});

test('a user gets twelve in ten minutes, and another one is not concerned', async () => {
  const { held, attach } = setUp();
  const [client, other] = [attach(), attach('1001')];
  for (let count = 0; count < 12; count += 1) expect(await held.open(client, request)).toBe('held');
  expect(await held.open(client, request)).toBe('too-many');
  await held.drop(client);
  expect(await held.open(other, request)).toBe('held');
  await held.drop(other);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(await held.open(client, request)).toBe('held');
});

test('held connections that become tunnels do not count', async () => {
  const { held, attach } = setUp();
  const client = attach();
  for (let count = 0; count < 30; count += 1) {
    expect(await held.open(client, request)).toBe('held');
    expect(held.take(connection)?.launchFor(session, ['192.0.2.1'])).toBeDefined();
  }
});

test.each(['its client goes', 'the way changes', 'it is dropped'])(
  'a held connection ends when %s',
  async (what) => {
    const { held, attach, events, clients, changeWay } = setUp();
    const client = attach();
    await held.open(client, request);
    if (what === 'its client goes') clients.detach(client);
    if (what === 'the way changes') changeWay();
    if (what === 'it is dropped') await held.drop(client);
    expect(events).toContain('engine 1 stops');
  },
);
