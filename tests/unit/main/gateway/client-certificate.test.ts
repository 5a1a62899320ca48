import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPkcs12 } from '../../../../src/main/gateway/client-certificate.ts';
import { createClientIdentities } from '../../../../src/main/gateway/client-identities.ts';
import { run } from '../../../lab/runs/process.ts';
import { createTestKeychain } from '../support/keychain.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';

const password = 'pässwörd "1"';
let directory: string;
const file = (name: string) => path.join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-p12-'));
  for (const [name, key] of [
    ['rsa', ['-newkey', 'rsa:2048']],
    ['ec', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']],
    ['small', ['-newkey', 'rsa:1024']],
  ] as const) {
    const names = [
      '-keyout',
      file(`${name}.key`),
      '-out',
      file(`${name}.pem`),
      '-subj',
      '/CN=Ann Example/O=Test',
    ];
    await run(['openssl', 'req', '-x509', ...key, '-nodes', '-days', '5', ...names]);
  }
  await run(['openssl', 'dsaparam', '-genkey', '-noout', '-out', file('dsa.key'), '1024']);
  const dsa = ['-key', file('dsa.key'), '-out', file('dsa.pem'), '-subj', '/CN=Ann Example'];
  await run(['openssl', 'req', '-x509', '-new', '-days', '5', ...dsa]);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** A file as `openssl pkcs12 -export` writes it. */
async function pkcs12(
  options: { key?: 'rsa' | 'ec' | 'small' | 'dsa'; args?: readonly string[]; from?: readonly string[] } = {},
) {
  const {
    key = 'rsa',
    args = [],
    from = ['-inkey', file(`${key}.key`), '-in', file(`${key}.pem`)],
  } = options;
  await writeFile(file('password'), password);
  const out = file('out.p12');
  await run([
    'openssl',
    'pkcs12',
    '-export',
    ...from,
    '-out',
    out,
    '-passout',
    `file:${file('password')}`,
    ...args,
  ]);
  return await readFile(out);
}

describe('PKCS#12 files', () => {
  test.each([
    ['as OpenSSL 3 writes them', 'rsa', []],
    ['with an elliptic key', 'ec', []],
    [
      'as Windows and older programs write them',
      'rsa',
      ['-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'],
    ],
    ['with an issuer', 'rsa', ['-certfile', 'ec.pem']],
  ] as const)('%s are read', async (_what, key, args) => {
    const written = await pkcs12({ key, args: args.map((arg) => (arg.endsWith('.pem') ? file(arg) : arg)) });
    const result = readPkcs12(written, password);
    if (!result.ok) return expect.unreachable(result.error);
    const certificate = new X509Certificate(result.identity.certificate);
    expect(certificate.fingerprint256).toBe(
      new X509Certificate(await readFile(file(`${key}.pem`))).fingerprint256,
    );
    expect(certificate.checkPrivateKey(createPrivateKey(result.identity.key))).toBe(true);
    expect(result.identity.certificate.match(/BEGIN/g)).toHaveLength(args.length === 2 ? 2 : 1);
    return undefined;
  });

  test('a wrong password is told as such', async () => {
    const written = await pkcs12();
    for (const wrong of ['', 'wrong']) {
      expect(readPkcs12(written, wrong)).toEqual({ ok: false, error: 'wrong-password' });
    }
  });

  test('what cannot be read here is told as such', async () => {
    const written = await pkcs12({ args: ['-keypbe', 'CAMELLIA-256-CBC', '-certpbe', 'CAMELLIA-256-CBC'] });
    expect(readPkcs12(written, password)).toEqual({ ok: false, error: 'unsupported' });
  });

  test.each(['small', 'dsa'] as const)('a key that TLS refuses is told as such: %s', async (key) => {
    expect(readPkcs12(await pkcs12({ key }), password)).toEqual({ ok: false, error: 'key-refused' });
  });

  test('what is no certificate with its key is refused', async () => {
    const keyless = await pkcs12({ from: ['-nokeys', '-in', file('rsa.pem')] });
    const whole = await pkcs12();
    const pem = await readFile(file('rsa.pem'));
    for (const other of [keyless, pem, Buffer.alloc(0), Buffer.from('garbage'), whole.subarray(0, 200)]) {
      expect(readPkcs12(other, password)).toEqual({ ok: false, error: 'not-a-certificate' });
    }
  });
});

describe('the user’s certificate', () => {
  const address = 'anyconnect://gw.example.net:443';
  const gateway = { host: 'gw.example.net', port: 443 };

  async function setUp() {
    const keychain = createTestKeychain();
    const { log, text } = createTestLog();
    const changes: true[] = [];
    const identities = createClientIdentities({
      keychain,
      memory: createTestMemory(),
      changed: () => void changes.push(true),
      log,
    });
    return { keychain, identities, changes, log: text, chosen: (await pkcs12()).toString('base64') };
  }

  test('its key is in the keychain until it is removed, which leaves nothing', async () => {
    const { keychain, identities, chosen, changes, log } = await setUp();
    expect(await identities.host.get({ address })).toEqual({ wanted: false, certificate: null });
    expect(await identities.host.set({ address, file: chosen, password })).toEqual({ ok: true });
    expect(await identities.host.get({ address })).toEqual({
      wanted: false,
      certificate: { name: 'Ann Example', validTo: expect.stringMatching(/^\d{4}-/) },
    });
    const [[account, key] = []] = [...keychain.secrets];
    expect([account, key]).toEqual([
      'certificate key gw.example.net',
      expect.stringContaining('PRIVATE KEY'),
    ]);
    expect(await identities.of(gateway)).toEqual({ certificate: expect.stringContaining('BEGIN CERT'), key });
    expect(await identities.of({ ...gateway, port: 444 })).toBeUndefined();

    expect(await identities.host.remove({ address })).toBe(true);
    expect(await identities.of(gateway)).toBeUndefined();
    expect(keychain.secrets.size).toBe(0);
    expect(changes).toHaveLength(2);
    expect(log()).not.toContain('PRIVATE KEY');
  });

  test('a sign-out removes the keys of all of them', async () => {
    const { keychain, identities, chosen } = await setUp();
    await keychain.write('another program’s', 'stays');
    for (const port of [443, 4443]) {
      const at = `anyconnect://gw.example.net:${port}`;
      expect(await identities.host.set({ address: at, file: chosen, password })).toEqual({ ok: true });
    }
    expect(keychain.secrets.size).toBe(3);
    await identities.removeKeys();
    expect([...keychain.secrets.keys()]).toEqual(['another program’s']);
  });

  test('a keychain that removes nothing does not keep anybody from signing out', async () => {
    const { keychain, identities, chosen, log } = await setUp();
    await identities.host.set({ address, file: chosen, password });
    keychain.mode = 'throws';
    await identities.removeKeys();
    expect(log()).toContain('does not remove');
  });

  test('without a keychain none is kept, anywhere', async () => {
    const { keychain, identities, chosen } = await setUp();
    keychain.mode = 'throws';
    expect(await identities.host.set({ address, file: chosen, password })).toEqual({
      ok: false,
      error: 'not-stored',
    });
    expect(await identities.of(gateway)).toBeUndefined();
  });

  test('a keychain that does not give its key any more is a sign-in without it', async () => {
    const { keychain, identities, chosen } = await setUp();
    await identities.host.set({ address, file: chosen, password });
    keychain.mode = 'throws';
    expect(await identities.of(gateway)).toBeUndefined();
  });
});
