import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openGatewayTls } from '#node/anyconnect/gateway-tls.ts';
import { openWithFittingMessage } from '#node/tls/first-message.ts';
import { openTcp } from '#node/tls/open-tcp.ts';
import { createKnownPaths, knownPaths } from '#node/tls/known-paths.ts';
import { createServiceFetch } from '../../../../src/main/http-fetch.ts';
import { createTestAuthority, pinOf, type TestCertificate } from '../../main/support/test-authority.ts';
import { startTestGateway, type TestGateway } from '../../main/support/gateway.ts';
import { startSmallNetwork } from '../../main/support/small-network.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';

const { call: fetchFromService } = createServiceFetch();

const hosts = [
  'silent.example.net',
  'breaks.example.net',
  'alerts.example.net',
  'wide.example.net',
  'lost.example.net',
  'refuses.example.net',
] as const;
const defaultRoots = tls.getCACertificates('default');
let certificate: TestCertificate;
let gateway: TestGateway;

beforeAll(async () => {
  const authority = await createTestAuthority('trusted');
  certificate = await authority.issue({ names: hosts, ips: ['127.0.0.1'] });
  tls.setDefaultCACertificates([...defaultRoots, authority.certificate]);
  gateway = await startTestGateway(certificate, () => ({ body: '{}' }));
});

afterAll(async () => {
  tls.setDefaultCACertificates(defaultRoots);
  // Files share it. With a small network known, others' connections would be opened a second time much sooner.
  for (const host of [...hosts, '127.0.0.1']) knownPaths.to(host).passesLarge();
  await gateway.close();
});

async function wayOf(options: Parameters<typeof startSmallNetwork>[1] = {}) {
  const made = await startSmallNetwork(gateway.port, options);
  onTestFinished(() => made.close());
  return made;
}

async function open(host: string, port: number): Promise<boolean> {
  const trust = { pins: [pinOf(certificate)] };
  const { signal } = new AbortController();
  const opened = await openGatewayTls({ host, port }, '127.0.0.1', trust, signal);
  if (opened.ok) opened.socket.destroy();
  return opened.ok;
}

/** Whether a message carries a post-quantum share (draft-ietf-tls-ecdhe-mlkem: 1,216 bytes for X25519MLKEM768). */
const isLarge = (length: number) => length > 1_216;

test.each([
  ['lost', hosts[0], 'silence'],
  ['answered by a reset', hosts[1], 'reset'],
  ['answered by an alert of TLS', hosts[2], 'alert'],
] as const)(
  'where large packets are %s, the small message passes, and goes first from then on',
  async (_what, host, answer) => {
    const { port, firstMessages } = await wayOf({ maxBytes: 1_252, answer });
    expect(await open(host, port)).toBe(true);
    expect(firstMessages.map(isLarge)).toEqual([true, false]);
    expect(firstMessages[1]).toBeLessThan(600);
    expect(await open(host, port)).toBe(true);
    expect(firstMessages.map(isLarge)).toEqual([true, false, false]);
  },
);

test('the post-quantum share stays where it passes, on the same network, too', async () => {
  const { port, firstMessages } = await wayOf();
  for (const _ of ['first', 'second']) {
    const before = firstMessages.length;
    expect(await open(hosts[3], port)).toBe(true);
    // On a busy machine its answer may be so late that the small one is tried as well, and is heard before it.
    expect(firstMessages.slice(before).some(isLarge)).toBe(true);
    await expect.poll(() => knownPaths.to(hosts[3]).isSmall()).toBe(false);
  }
});

test('a call to the service gets past such a network as well', async () => {
  const way = await wayOf({ maxBytes: 1_252 });
  const { port, firstMessages } = way;
  const url = `https://127.0.0.1:${port}/api/basic-info`;
  const reply = await fetchFromService(url, { method: 'GET', headers: {} });
  expect([reply.status, await reply.text()]).toEqual([200, '{}']);
  expect(firstMessages.map(isLarge)).toEqual([true, false]);
  // Who the service is still matters.
  tls.setDefaultCACertificates(defaultRoots);
  way.passes(undefined);
  await expect(fetchFromService(url, { method: 'GET', headers: {} })).rejects.toThrow('certificate');
});

test('a host that answers neither is given up, and nothing is learned from it', async () => {
  const { port, firstMessages } = await wayOf({ maxBytes: 0, answer: 'reset' });
  expect(await open(hosts[4], port)).toBe(false);
  expect(await open(hosts[4], port)).toBe(false);
  expect(firstMessages.map(isLarge)).toEqual([true, false, true, false]);
});

test('a host that answers both with an alert is given up, and says why', async () => {
  const { port, firstMessages } = await wayOf({ maxBytes: 0, answer: 'alert' });
  const trust = { pins: [pinOf(certificate)] };
  const { signal } = new AbortController();
  const opened = await openGatewayTls({ host: hosts[5], port }, '127.0.0.1', trust, signal);
  expect(opened).toMatchObject({ ok: false, failure: 'gateway-unreachable', cause: 'gateway-tls-failed' });
  expect(firstMessages.map(isLarge)).toEqual([true, false]);
  expect(knownPaths.to(hosts[5]).isSmall()).toBe(false);
});

test('what passes is remembered for a host on a network, for an hour, until the large message passes', () => {
  let [network, now] = ['home', 0];
  const paths = createKnownPaths(
    () => network,
    () => now,
  );
  const atHome = paths.to('gw.example.net');
  expect([atHome.isSmall(), atHome.isOnSmallNetwork()]).toEqual([false, false]);
  atHome.passesSmall();
  expect(paths.to('GW.example.net').isSmall()).toBe(true);
  expect([paths.to('other').isSmall(), paths.to('other').isOnSmallNetwork()]).toEqual([false, true]);
  network = 'office';
  expect([paths.to('gw.example.net').isSmall(), paths.to('other').isOnSmallNetwork()]).toEqual([
    false,
    false,
  ]);
  network = 'home';
  now = 60 * 60_000;
  expect(paths.to('gw.example.net').isSmall()).toBe(false);
  atHome.passesSmall();
  expect(paths.to('gw.example.net').isSmall()).toBe(true);
  atHome.passesLarge();
  expect(paths.to('gw.example.net').isSmall()).toBe(false);
});

test('where this machine stands still for longer than the silence, an answer that had come counts', async () => {
  const answer = Buffer.alloc(60);
  const server = createServer((far) => {
    far.on('error', () => undefined);
    // Nothing of this process runs from the moment that it is sent, whereas the kernel goes on.
    far.once('data', () => {
      far.write(answer, () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let connections = 0;
  const opened = await openWithFittingMessage({
    host: 'still.example.net',
    connect() {
      connections += 1;
      return openTcp('127.0.0.1', port);
    },
    async secure(transport) {
      transport.write('a first message');
      await once(transport, 'data');
      return transport;
    },
    signal: AbortSignal.timeout(waitLimit(10_000)),
  });
  opened.destroy();
  expect(connections).toBe(1);
});

test('a connection that the system refuses at once rejects, and ends nothing else', async () => {
  // Without a way there, Node tells of it before a promise can be waited for.
  const nowhere = '255.255.255.255';
  const openNowhere = () =>
    openWithFittingMessage({
      host: nowhere,
      connect: () => openTcp(nowhere, 443),
      secure: () => Promise.reject(new Error('TLS was begun')),
      signal: AbortSignal.timeout(waitLimit(10_000)),
    });
  // As on a message from elsewhere, and not within a promise that goes on at once.
  const { promise, resolve } = Promise.withResolvers<unknown>();
  setImmediate(() => void openNowhere().catch(resolve));
  expect(await promise).toMatchObject({
    code: expect.stringMatching(/^(?:ENETUNREACH|EHOSTUNREACH|EACCES)$/),
  });
});
