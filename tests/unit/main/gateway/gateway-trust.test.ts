import { getDiffieHellman } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import tls from 'node:tls';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openGatewayTls } from '#node/anyconnect/gateway-tls.ts';
import { trustOn } from '#node/anyconnect/system-roots.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import {
  createTestAuthority,
  pinOf,
  type TestAuthority,
  type TestCertificate,
} from '../support/test-authority.ts';
import { completed, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { endProcess, startUntil } from '../../../lab/runs/process.ts';
import { freePort } from '../support/free-port.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';

const host = 'gw.example.net';

let trusted: TestAuthority;
let unknown: TestAuthority;
const defaultRoots = tls.getCACertificates('default');

beforeAll(async () => {
  [trusted, unknown] = await Promise.all([createTestAuthority('trusted'), createTestAuthority('unknown')]);
  tls.setDefaultCACertificates([...defaultRoots, trusted.certificate]);
});

afterAll(() => {
  tls.setDefaultCACertificates(defaultRoots);
});

/** The roots are trusted as long as the test runs. */
function trustAlso(...roots: readonly TestCertificate[]): void {
  tls.setDefaultCACertificates([
    ...defaultRoots,
    ...[trusted, ...roots].map(({ certificate }) => certificate),
  ]);
  onTestFinished(() => tls.setDefaultCACertificates([...defaultRoots, trusted.certificate]));
}

const withChain = ({ certificate, key }: TestCertificate, ...chain: readonly TestCertificate[]) => ({
  certificate: [certificate, ...chain.map((one) => one.certificate)].join('\n'),
  key,
});

/** Another implementation of TLS at the gateway's place, with a trusted certificate. */
async function startOpenssl(options: readonly string[]): Promise<{ port: number } & AsyncDisposable> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-trust-'));
  const [certificateFile, keyFile] = [path.join(directory, 'cert.pem'), path.join(directory, 'key.pem')];
  const { certificate, key } = await trusted.issue({ names: [host] });
  await writeFile(certificateFile, certificate);
  await writeFile(keyFile, key);
  const port = await freePort();
  const files = ['-cert', certificateFile, '-key', keyFile];
  const server = await startUntil(
    ['openssl', 's_server', '-accept', `127.0.0.1:${port}`, '-www', ...options, ...files],
    /ACCEPT/,
  );
  return {
    port,
    async [Symbol.asyncDispose]() {
      await endProcess(server);
      await rm(directory, { recursive: true });
    },
  };
}

async function signInTo(certificate: TestCertificate, options: { pins?: string[]; host?: string } = {}) {
  const gateway: TestGateway = await startTestGateway(certificate, () => completed);
  try {
    return { ...(await signInAt(gateway.port, options)), requests: gateway.requests.length };
  } finally {
    await gateway.close();
  }
}

async function signInAt(port: number, options: { pins?: string[]; host?: string } = {}) {
  const { log, text } = createTestLog();
  const name = options.host ?? host;
  const signIn = createSignIn({
    pins: () => (options.pins ? { [name]: options.pins } : {}),
    memory: createTestMemory(),
    identity: () => Promise.resolve(undefined),
    openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
    askUser: () => Promise.resolve(undefined),
    log,
  });
  const result = await signIn({
    gateway: { host: name, port },
    address: '127.0.0.1',
    credentials: { username: 'device', password: 'token' },
    interactive: false,
    signal: new AbortController().signal,
  });
  return { result, log: text() };
}

test('a certificate of a trusted issuer for this name is accepted, and its pin told', async () => {
  const certificate = await trusted.issue({ names: [host] });
  const { result } = await signInTo(certificate);
  expect(result).toMatchObject({ ok: true, signedIn: { session: { certificatePin: pinOf(certificate) } } });
});

test.each([
  ['with its certificate', true],
  ['without it', false],
])(
  'an intermediate authority that the system trusts is enough, sent %s by the gateway',
  async (_how, isSent) => {
    const office = await unknown.below('office');
    const leaf = await office.issue({ names: [host] });
    const chain = isSent ? withChain(leaf, office) : leaf;
    expect((await signInTo(chain)).result, 'not trusted').toMatchObject({ ok: false });
    trustAlso(office);
    expect((await signInTo(chain)).result).toMatchObject({ ok: true });
    const other = await signInTo(withChain(await unknown.issue({ names: [host] }), office));
    expect(other.result, 'what its own issuer has issued is not').toMatchObject({ ok: false });
  },
);

test.each([
  ['linux', true],
  ['darwin', true],
  ['win32', false],
] as const)(
  'on %s, an intermediate authority among the trusted ones is enough: %s (CPython 130304)',
  async (platform, isEnough) => {
    const office = await unknown.below('office');
    const { certificate, key } = withChain(await office.issue({ names: [host] }), office);
    const gateway = await startTestGateway({ certificate, key }, () => completed);
    onTestFinished(() => gateway.close());
    const authorizedBy = async (...ca: readonly TestCertificate[]) => {
      const socket = tls.connect({
        ...trustOn(platform),
        port: gateway.port,
        host: '127.0.0.1',
        servername: host,
        ca: ca.map((one) => one.certificate),
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      const { authorized } = socket;
      socket.destroy();
      return authorized;
    };
    expect(await authorizedBy(office)).toBe(isEnough);
    expect(await authorizedBy(office, unknown)).toBe(true);
  },
);

test('a trusted root is enough where the gateway also sends it as an authority that has expired signed it', async () => {
  const old = await createTestAuthority('old', { expired: true });
  const leaf = await trusted.issue({ names: [host] });
  const chain = withChain(leaf, old.certify(trusted));
  expect((await signInTo(chain)).result).toMatchObject({ ok: true });
  trustAlso(old);
  expect((await signInTo(chain)).result, 'the old root is still there').toMatchObject({ ok: true });
});

test('a gateway named by its address is verified by that address', async () => {
  const { result } = await signInTo(await trusted.issue({ ips: ['127.0.0.1'] }), { host: '127.0.0.1' });
  expect(result.ok).toBe(true);
  const other = await signInTo(await trusted.issue({ ips: ['127.0.0.2'] }), { host: '127.0.0.1' });
  expect(other.result).toEqual({ ok: false, failure: 'gateway-certificate-refused' });
});

/** What is wrong may be this computer's clock. */
const dates = 'gateway-certificate-dates';

test.each([
  ['of an unknown issuer', async () => await unknown.issue({ names: [host] })],
  ['for another name', async () => await trusted.issue({ names: ['other.example.net'] })],
  ['that has expired, of nobody', async () => await createTestAuthority('router', { expired: true })],
  ['that has expired', async () => await trusted.issue({ names: [host], expired: true }), dates],
  ['that is not valid yet', async () => await trusted.issue({ names: [host], early: true }), dates],
] as const)(
  'a certificate %s is refused before a byte is sent',
  async (_what, issue, cause?: typeof dates) => {
    const { result, requests, log } = await signInTo(await issue());
    expect(result).toEqual({ ok: false, failure: 'gateway-certificate-refused', ...(cause && { cause }) });
    expect(requests).toBe(0);
    expect(log).toContain('gateway-certificate-refused');
  },
);

test('a pinned key is accepted whatever the certificate around it says', async () => {
  const certificate = await unknown.issue({ names: ['other.example.net'], expired: true });
  const { result } = await signInTo(certificate, { pins: ['pin-sha256:other', pinOf(certificate)] });
  expect(result.ok).toBe(true);
});

test('with a pin, another key is refused even from a trusted issuer', async () => {
  const pins = [pinOf(await trusted.issue({ names: [host] }))];
  const { result, requests } = await signInTo(await trusted.issue({ names: [host] }), { pins });
  expect(result).toEqual({ ok: false, failure: 'gateway-certificate-refused' });
  expect(requests).toBe(0);
});

test('something that accepts connections and says nothing is given up', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const opening = openGatewayTls({ host, port }, '127.0.0.1', { pins: [] }, new AbortController().signal);
    const over = opening.then(() => true);
    // What is sent in between takes real time.
    const step = async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      await nextTurn();
      return false;
    };
    for (let isOver = false; !isOver;) isOver = await Promise.race([over, step()]);
    expect(await opening).toEqual({ ok: false, failure: 'gateway-unreachable', detail: 'no answer' });
    const aborted = await openGatewayTls({ host, port }, '127.0.0.1', { pins: [] }, AbortSignal.abort());
    expect(aborted).toMatchObject({ ok: false, failure: 'gateway-unreachable' });
  } finally {
    vi.useRealTimers();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

test('nobody listening is an unreachable gateway', async () => {
  const gateway = await startTestGateway(await trusted.issue({ names: [host] }), () => completed);
  await gateway.close();
  const { result, log } = await signInAt(gateway.port);
  const cause = 'gateway-refuses-connections';
  expect(result).toEqual({ ok: false, failure: 'gateway-unreachable', cause });
  expect(log).toContain('ECONNREFUSED');
});

test.each([
  ['TLS 1.1', ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'], 'gateway-tls-outdated'],
  ['no common cipher', ['-tls1_2', '-cipher', 'PSK-AES128-GCM-SHA256', '-psk', 'aa'], 'gateway-tls-failed'],
] as const)('TLS that fails is told from silence: %s', async (_what, args, cause) => {
  await using gateway = await startOpenssl([...args]);
  const refused = { ok: false, failure: 'gateway-unreachable', cause };
  expect((await signInAt(gateway.port)).result).toEqual(refused);
});

/** Diffie-Hellman with 1,024 bits (RFC 2409 §6.2). */
async function smallGroup(): Promise<{ file: string } & AsyncDisposable> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-group-'));
  const file = path.join(directory, 'group.pem');
  const prime = Buffer.concat([Buffer.of(0), getDiffieHellman('modp2').getPrime()]);
  // A sequence of two numbers, of which the second is 2.
  const numbers = [Buffer.from('02', 'hex'), Buffer.of(0x81, prime.length), prime, Buffer.of(2, 1, 2)];
  const body = Buffer.concat(numbers);
  const der = Buffer.concat([Buffer.of(0x30, 0x81, body.length), body]);
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n');
  await writeFile(file, `-----BEGIN DH PARAMETERS-----\n${lines}\n-----END DH PARAMETERS-----\n`);
  return { file, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}

test.each([
  ['reached by another one that it knows', 'DHE-RSA-AES256-SHA:AES256-SHA', { ok: true }],
  ['outdated if it knows no other', 'DHE-RSA-AES256-SHA', { cause: 'gateway-tls-outdated' }],
] as const)('a gateway that prefers too small a key exchange is %s', async (_what, ciphers, expected) => {
  await using group = await smallGroup();
  const preferred = ['-tls1_2', '-serverpref', '-dhparam', group.file, '-cipher', `${ciphers}:@SECLEVEL=0`];
  await using gateway = await startOpenssl(preferred);
  const at = { host, port: gateway.port };
  const result = await openGatewayTls(at, '127.0.0.1', { pins: [] }, new AbortController().signal);
  expect(result).toMatchObject(expected);
  if (result.ok) result.socket.destroy();
});

test('a gateway that ends TLS 1.2 for want of a client certificate wants one', async () => {
  await using gateway = await startOpenssl(['-tls1_2', '-Verify', '1', '-verify_return_error']);
  expect((await signInAt(gateway.port)).result).toEqual({ ok: false, failure: 'certificate-required' });
});

/** A ServerHello of TLS 1.2 without any extension, and so without that of RFC 5746 §3.4. */
const bareServerHello = Buffer.concat([
  Buffer.from('160303002a020000260303', 'hex'),
  Buffer.alloc(32, 1),
  // No session; TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; no compression.
  Buffer.from('00c02f00', 'hex'),
]);

test('a gateway without secure renegotiation is told as such, and gets nothing', async () => {
  let bytes = 0;
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        bytes += chunk.length;
        socket.write(bareServerHello);
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { result, log } = await signInAt(port);
  const cause = 'gateway-renegotiation-unsafe';
  expect(result).toEqual({ ok: false, failure: 'gateway-unreachable', cause });
  expect(log).toContain('RENEGOTIATION');
  // Only the first message of TLS, and an alert.
  expect(bytes).toBeLessThan(2_000);
  server.close();
});

test('a network without a route is told as such', async () => {
  const cause = 'gateway-without-route';
  const connect = () => Promise.reject(Object.assign(new Error('connect'), { code: 'EHOSTUNREACH' }));
  const at = { host, port: 443 };
  const { signal } = new AbortController();
  expect(await openGatewayTls(at, '192.0.2.1', { pins: ['x'] }, signal, undefined, connect)).toMatchObject({
    cause,
    detail: 'EHOSTUNREACH: connect',
  });
});

test('a gateway that ends TLS for want of a client certificate is told from a broken network', async () => {
  await using gateway = await startOpenssl(['-tls1_3', '-Verify', '1']);
  expect((await signInAt(gateway.port)).result).toEqual({ ok: false, failure: 'certificate-required' });
});
