import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:tls';
import { createServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fasterServer, fastestServer, noticeableMs } from '#shared/servers/fastest-server.ts';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createGatewayLatencies } from '../../../../src/main/gateway/latency.ts';
import { createTestAuthority, pinOf } from '../support/test-authority.ts';
import { connected } from '../support/surroundings.ts';

let gateway: TcpServer;
let port = 0;
let connections = 0;
let state: TunnelState;
let told: ServerLatency[];

beforeEach(async () => {
  [connections, state, told] = [0, { state: 'disconnected' }, []];
  gateway = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    gateway.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = gateway.address() as AddressInfo);
});
afterEach(() => gateway.close());

/** However slow this machine is. */
const answersWithinMs = 3_600_000;
const tell = (latency: ServerLatency): void => {
  told.push(latency);
};
const meter = (onLatency = tell) =>
  createGatewayLatencies({
    servers: () => [
      { serverId: 'here', domain: 'here.example.net', port },
      // Port 9 discards, and nothing does here.
      { serverId: 'silent', domain: 'here.example.net', port: 9 },
      { serverId: 'unknown', domain: 'nowhere.example.net', port },
    ],
    state: () => state,
    addresses: {
      resolve: (host) => Promise.resolve(host === 'here.example.net' ? ['127.0.0.1'] : []),
    },
    pins: () => ({}),
    onLatency,
    answersWithinMs,
  });

test('each server is told once, with how long its gateway took, or that it did not answer', async () => {
  expect(await meter().measure()).toBe('measured');
  const byId = new Map(told.map((latency) => [latency.serverId, latency]));
  expect(told).toHaveLength(3);
  expect(byId.get('here')).toEqual({
    serverId: 'here',
    milliseconds: expect.any(Number) as number,
    throughTunnel: false,
    // It speaks no TLS.
    isProven: false,
  });
  expect(byId.get('silent')?.milliseconds).toBeNull();
  expect(byId.get('unknown')?.milliseconds).toBeNull();
});

test('a request during a measurement waits for the same measurement', async () => {
  const one = meter();
  expect(await Promise.all([one.measure(), one.measure()])).toEqual(['measured', 'measured']);
  expect(told).toHaveLength(3);
});

test('a latency that was measured through the tunnel is marked as such', async () => {
  state = { ...connected, addresses: { ipv4: '127.0.0.1' } };
  await meter().measure();
  expect(told.find(({ serverId }) => serverId === 'here')?.throughTunnel).toBe(true);
});

test('the gateway of the tunnel, which only the engine reaches, is not called silent', async () => {
  state = { ...connected, gateway: { host: 'here.example.net', port: 9 } };
  await meter().measure();
  expect(told.map(({ serverId }) => serverId).toSorted()).toEqual(['here', 'unknown']);
});

test.each<[string, TunnelState]>([
  ['blocked', { state: 'disconnected', blocked: true }],
  ['blocked', { state: 'invalid', cause: 'helper-absent', blocked: true }],
  ['busy', { state: 'connecting', gateway: connected.gateway, attempt: 1, phase: 'handshaking' }],
])('nothing is opened while it is %s', async (outcome, now) => {
  state = now;
  expect(await meter().measure()).toBe(outcome);
  expect([connections, told]).toEqual([0, []]);
});

test('a block that comes in between ends the measurement, and what it closed is not called silent', async () => {
  const block = (latency: ServerLatency) => {
    told.push(latency);
    state = { state: 'disconnected', blocked: true };
  };
  expect(await meter(block).measure()).toBe('blocked');
  expect(told).toHaveLength(1);
});

test('a gateway proves its identity with a certificate that connecting would accept', async () => {
  const [own, other] = await Promise.all(
    ['own', 'other'].map(async (name) => {
      const authority = await createTestAuthority(name);
      return await authority.issue({ names: ['gateway.example.net'] });
    }),
  );
  if (!own || !other) throw new Error('no certificates');
  const pin = pinOf(own);
  const servers = [own, other].map(({ certificate, key }) => createTlsServer({ cert: certificate, key }));
  const ports = await Promise.all(
    servers.map(async (server) => {
      server
        .on('tlsClientError', () => undefined)
        .on('secureConnection', (socket) => socket.on('error', () => undefined));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  const domain = 'gateway.example.net';
  await createGatewayLatencies({
    servers: () =>
      ports.map((at, index) => ({ serverId: ['pinned', 'unknown'][index] ?? '', domain, port: at })),
    state: () => state,
    addresses: { resolve: () => Promise.resolve(['127.0.0.1']) },
    pins: () => ({ [domain]: [pin] }),
    onLatency: tell,
    answersWithinMs,
  }).measure();
  expect(Object.fromEntries(told.map(({ serverId, isProven }) => [serverId, isProven]))).toEqual({
    pinned: true,
    unknown: false,
  });
  for (const server of servers) server.close();
});

test('a server that did not prove its identity is never the fastest', () => {
  const usable = ['unknown', 'known', 'older'].map((serverId) => ({ serverId }));
  const [unknown, known, older] = [
    { serverId: 'unknown', milliseconds: 1, throughTunnel: false, isProven: false },
    { serverId: 'known', milliseconds: 400, throughTunnel: false, isProven: true },
    // From an app that does not say.
    { serverId: 'older', milliseconds: 500, throughTunnel: false },
  ] as const;
  expect(fastestServer(usable, [unknown, known, older])).toEqual({ serverId: 'known' });
  expect(fastestServer(usable, [unknown, older])).toEqual({ serverId: 'older' });
  expect(fastestServer(usable, [unknown], noticeableMs)).toBeUndefined();
  const direct = new Map([
    ['unknown', 1],
    ['known', 400],
  ]);
  expect(fasterServer({ serverId: 'known' }, usable, [unknown, older], direct)).toEqual({
    outcome: 'unknown',
  });
});

test('a gateway counts as silent only where none of its addresses answers', async () => {
  // Nobody listens at the first one.
  const twoFold = createGatewayLatencies({
    servers: () => [{ serverId: 'here', domain: 'here.example.net', port }],
    state: () => state,
    addresses: { resolve: () => Promise.resolve(['127.0.0.77', '127.0.0.1']) },
    pins: () => ({}),
    onLatency: tell,
    answersWithinMs,
  });
  expect(await twoFold.measure()).toBe('measured');
  expect(told).toMatchObject([{ serverId: 'here', milliseconds: expect.any(Number) as number }]);
});

test('the fastest is the one with the least latency, or the first where that counts as none', () => {
  const usable = ['one', 'two', 'three'].map((serverId) => ({ serverId }));
  const latency = (serverId: string, milliseconds: number | null) => ({
    serverId,
    milliseconds,
    throughTunnel: false,
  });
  const latencies = [latency('one', 55), latency('two', 40), latency('three', null), latency('gone', 1)];
  expect(fastestServer(usable, latencies)).toEqual({ serverId: 'two' });
  expect(fastestServer(usable, latencies, 20)).toEqual({ serverId: 'one' });
  expect(fastestServer(usable, [latency('three', null)])).toBeUndefined();
});

describe('while connected, the fastest server', () => {
  const [here, near, far] = ['here', 'near', 'far'].map((serverId) => ({ serverId })) as [
    { serverId: string },
    { serverId: string },
    { serverId: string },
  ];
  const usable = [far, near, here];
  const measured = (throughTunnel: boolean, ...some: [string, number | null][]): ServerLatency[] =>
    some.map(([serverId, milliseconds]) => ({ serverId, milliseconds, throughTunnel }));
  const from = (latencies: ServerLatency[], direct: Record<string, number>) =>
    fasterServer(here, usable, latencies, new Map(Object.entries(direct)));

  test('is the one in use where none is noticeably faster', () => {
    const now = measured(false, ['near', 25], ['far', 180]);
    expect(from(now, { here: 40, near: 25, far: 180 })).toEqual({ outcome: 'stays' });
    expect(from(now, { here: 12, near: 25, far: 180 })).toEqual({ outcome: 'stays' });
  });

  test('is another where that one is noticeably faster', () => {
    const now = measured(false, ['near', 25], ['far', 180]);
    expect(from(now, { here: 46, near: 25, far: 180 })).toEqual({ outcome: 'faster', server: near });
  });

  test('is unknown if the one in use was never measured', () => {
    const now = measured(false, ['near', 25], ['far', 180]);
    expect(from(now, { near: 25, far: 180 })).toEqual({ outcome: 'unknown' });
  });

  test('is unknown if all were only ever measured through it: it is never further away than they are', () => {
    const now = measured(true, ['near', 60], ['far', 210]);
    expect(from(now, {})).toEqual({ outcome: 'unknown' });
    expect(from(now, { here: 40 })).toEqual({ outcome: 'unknown' });
  });

  test('is known if they were measured before there was a tunnel, and answer now', () => {
    expect(from(measured(true, ['near', 60], ['far', 210]), { here: 40, near: 10, far: 180 })).toEqual({
      outcome: 'faster',
      server: near,
    });
    const silent = measured(true, ['near', null], ['far', 210]);
    expect(from(silent, { here: 40, near: 10, far: 180 })).toEqual({ outcome: 'stays' });
    // What comes through the tunnel takes longer than the server in use alone.
    expect(from([...measured(true, ['far', 30]), ...measured(false, ['near', 25])], { near: 25 })).toEqual({
      outcome: 'stays',
    });
  });
});
