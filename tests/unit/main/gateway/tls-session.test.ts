import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGatewayTls } from '#node/anyconnect/gateway-tls.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import { eventually } from '../../../lab/runs/process.ts';
import { createTestAuthority, pinOf, type TestCertificate } from '../support/test-authority.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';
import { startOcserv, type Ocserv } from '../support/ocserv.ts';

const host = 'gw.example.net';
const signal = new AbortController().signal;
const users = { guest: { password: 'secret' } };

const gateways: { certificate: TestCertificate; server: Ocserv }[] = [];
beforeAll(async () => {
  const authority = await createTestAuthority();
  for (const name of [host, 'other.example.net']) {
    const certificate = await authority.issue({ names: [name] });
    gateways.push({ certificate, server: await startOcserv({ certificate, users }) });
  }
});
afterAll(() => Promise.all(gateways.map(({ server }) => server.stop())));

/** Signs in at the first gateway: its TLS session. */
async function signedIn(): Promise<Buffer> {
  const [gateway] = gateways;
  if (!gateway) throw new Error('no gateway');
  const { log } = createTestLog();
  const memory = createTestMemory();
  const signIn = createSignIn({
    pins: () => ({ [host]: [pinOf(gateway.certificate)] }),
    memory,
    identity: () => Promise.resolve(undefined),
    openBrowser: () => Promise.reject(new Error('no browser')),
    askUser: () => Promise.resolve(undefined),
    log,
  });
  const result = await signIn({
    gateway: { host, port: gateway.server.port },
    address: '127.0.0.1',
    credentials: { username: 'guest', password: 'secret' },
    interactive: false,
    signal,
  });
  return Buffer.from((result.ok && result.signedIn.session.tlsSession) || '', 'base64');
}

async function open(index: number, session: Buffer | undefined, pins?: string[]) {
  const gateway = gateways[index];
  if (!gateway) throw new Error('no gateway');
  const trust = { pins: pins ?? [pinOf(gateway.certificate)], session };
  const opened = await openGatewayTls({ host, port: gateway.server.port }, '127.0.0.1', trust, signal);
  if (!opened.ok) return opened.failure;
  const { socket, pin } = opened;
  const isResumed = socket.isSessionReused();
  socket.destroy();
  return { isResumed, isPinned: pin === pinOf(gateway.certificate) };
}

test('the TLS session of a sign-in is resumed by the tunnel, which needs no other proof of the pinned key', async () => {
  // ocserv does not find each session again.
  await eventually('it is resumed', async () => {
    const opened = await open(0, await signedIn());
    expect(opened).toMatchObject({ isPinned: true });
    return (typeof opened === 'object' && opened.isResumed) || undefined;
  });
});

test('another gateway with that session has to prove its own key', async () => {
  const session = await signedIn();
  expect(await open(1, session)).toEqual({ isResumed: false, isPinned: true });
  expect(await open(1, session, [pinOf(gateways[0]?.certificate ?? { certificate: '', key: '' })])).toBe(
    'gateway-certificate-refused',
  );
});

test('what is not a session is ignored, and so is any session where no key is pinned', async () => {
  for (const session of [Buffer.alloc(0), Buffer.from('none'), Buffer.alloc(9_000, 1)])
    expect(await open(0, session)).toEqual({ isResumed: false, isPinned: true });
  // Its certificate comes from an authority that the system does not know.
  expect(await open(0, await signedIn(), [])).toBe('gateway-certificate-refused');
});
