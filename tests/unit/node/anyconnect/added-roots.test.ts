import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openGatewayTls } from '#node/anyconnect/gateway-tls.ts';
import { createServiceFetch } from '../../../../src/main/http-fetch.ts';
import { createTestAuthority, type TestAuthority } from '../../main/support/test-authority.ts';

/** As on macOS and Windows, where Node reads the system's roots once in a process; here, it does so from this file. */
const { platform } = process;
const defaultRoots = tls.getCACertificates('default');
let folder: string;
let bundle: string;
let known: TestAuthority;
let added: TestAuthority;
let server: tls.Server;

beforeAll(async () => {
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-roots-'));
  bundle = path.join(folder, 'roots.pem');
  vi.stubEnv('SSL_CERT_FILE', bundle);
  [known, added] = await Promise.all([createTestAuthority('known'), createTestAuthority('added')]);
  await writeFile(bundle, known.certificate);
  const { certificate: cert, key } = await added.issue({ names: ['localhost'] });
  server = tls.createServer({ cert, key }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterAll(async () => {
  Object.defineProperty(process, 'platform', { value: platform });
  vi.unstubAllEnvs();
  tls.setDefaultCACertificates(defaultRoots);
  server.close();
  await rm(folder, { recursive: true });
});

const port = () => (server.address() as AddressInfo).port;

async function openGateway(): Promise<string> {
  const opened = await openGatewayTls(
    { host: 'localhost', port: port() },
    '127.0.0.1',
    { pins: [] },
    new AbortController().signal,
  );
  if (!opened.ok) return `${opened.failure}: ${opened.detail}`;
  opened.socket.destroy();
  return 'trusted';
}

async function callService(): Promise<unknown> {
  try {
    const { short } = createServiceFetch();
    return (await short(`https://localhost:${port()}/`, { method: 'GET', headers: {} }, 100)).text;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

test.runIf(platform === 'linux')(
  'a root that the system gets while the app runs is trusted by the next try of gateways and of the service',
  async () => {
    const refused = /UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT_LOCALLY)$/;
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      expect(await openGateway()).toMatch(refused);
      await writeFile(bundle, known.certificate + added.certificate);
      expect(await callService(), 'not read again at once').toMatch(refused);
      vi.advanceTimersByTime(10_001);
      expect(await openGateway()).toBe('trusted');

      tls.setDefaultCACertificates(defaultRoots);
      vi.advanceTimersByTime(10_001);
      expect(await callService()).toBe('OK');
    } finally {
      vi.useRealTimers();
    }
  },
);
