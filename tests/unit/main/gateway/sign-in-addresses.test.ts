import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import type { VerifiedGateway } from '../../../../src/main/gateway/sign-in/session.ts';
import { createTestAuthority, pinOf, type TestCertificate } from '../support/test-authority.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';
import { startOcserv, type Ocserv } from '../support/ocserv.ts';

/** A gateway whose name has several addresses: it is signed in at whichever answers first. */

const host = 'gw.example.net';
const [here, silent, refusing] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;
const credentials = { username: 'guest', password: 'secret' };
let certificate: TestCertificate;
let server: Ocserv;

beforeAll(async () => {
  certificate = await (await createTestAuthority()).issue({ names: [host] });
  server = await startOcserv({ certificate, users: { guest: { password: credentials.password } } });
});

afterAll(() => server.stop());

const pin = () => pinOf(certificate);

/** Takes connections at the gateway's port of another address, and says nothing. */
async function startSilent(): Promise<{ connections(): number; open(): number }> {
  const all: Socket[] = [];
  const mute = createServer((socket) => {
    all.push(socket.on('error', () => undefined));
    socket.resume();
  });
  await once(mute.listen(server.port, silent), 'listening');
  onTestFinished(() => {
    for (const socket of all) socket.destroy();
    mute.close();
  });
  return {
    connections: () => all.length,
    open: () => all.filter(({ readyState }) => readyState === 'open').length,
  };
}

function signIn(address: string, otherAddresses: string[], onVerified?: (verified: VerifiedGateway) => void) {
  const { log } = createTestLog();
  return createSignIn({
    pins: () => ({ [host]: [pin()] }),
    memory: createTestMemory(),
    identity: () => Promise.resolve(undefined),
    openBrowser: () => Promise.reject(new Error('no browser')),
    askUser: () => Promise.resolve(undefined),
    log,
  })({
    gateway: { host, port: server.port },
    address,
    otherAddresses,
    credentials,
    interactive: false,
    ...(onVerified && { onVerified }),
    signal: new AbortController().signal,
  });
}

test('an address that takes connections and is silent keeps nobody from the next one, and is let go', async () => {
  const mute = await startSilent();
  const verified: VerifiedGateway[] = [];
  const result = await signIn(silent, [refusing, here], (one) => verified.push(one));
  expect(result).toMatchObject({ ok: true, signedIn: { address: here } });
  // What another connection to it needs, before it has asked anything.
  expect(verified).toEqual([
    { gateway: { host, port: server.port }, address: here, trust: { certificatePin: pin() } },
  ]);
  expect(mute.connections()).toBeGreaterThan(0);
  await expect.poll(() => mute.open()).toBe(0);
});

test('if no address answers, the failure says why', async () => {
  expect(await signIn(refusing, ['127.0.0.4'])).toEqual({
    ok: false,
    failure: 'gateway-unreachable',
    cause: 'gateway-refuses-connections',
  });
});
