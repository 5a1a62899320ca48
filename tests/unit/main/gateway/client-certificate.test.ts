import { constants, createHmac, createPrivateKey, pbkdf2Sync, sign, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import forge from 'node-forge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCertificateFile } from '../../../../src/main/gateway/client-certificate.ts';
import { createClientIdentities } from '../../../../src/main/gateway/client-identities.ts';
import { run } from '../../../lab/runs/process.ts';
import { createTestAuthority } from '../support/test-authority.ts';
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
    ['pss', ['-newkey', 'rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048']],
    ['secp256k1', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1']],
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
  options: {
    key?: 'rsa' | 'ec' | 'pss' | 'secp256k1' | 'small' | 'dsa';
    args?: readonly string[];
    from?: readonly string[];
  } = {},
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

/** A certificate of the RSA key, made by the elliptic one. */
async function issue(name: string, args: readonly string[], usage = 'clientAuth') {
  await writeFile(file('usage.cnf'), `extendedKeyUsage=${usage}`);
  const request = ['-key', file('rsa.key'), '-out', file('request.pem'), '-subj', `/CN=${name}`];
  await run(['openssl', 'req', '-new', ...request]);
  const issuer = ['-CA', file('ec.pem'), '-CAkey', file('ec.key'), '-CAcreateserial'];
  const files = ['-in', file('request.pem'), '-extfile', file('usage.cnf'), '-out', file(`${name}.pem`)];
  await run(['openssl', 'x509', '-req', ...issuer, ...files, ...args]);
}

const fingerprintOf = async (name: string) =>
  new X509Certificate(await readFile(file(`${name}.pem`))).fingerprint256;

/** Those that are used of a file with these certificates, all of the RSA key. */
async function readBoth(names: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(names.map((name) => readFile(file(`${name}.pem`), 'utf8')));
  await writeFile(file('both.pem'), texts.join(''));
  const result = readCertificateFile(
    await pkcs12({ from: ['-inkey', file('rsa.key'), '-in', file('both.pem')] }),
    password,
  );
  if (!result.ok) return [result.error];
  const used = result.identity.certificate.match(/-----BEGIN[^]+?-----END CERTIFICATE-----/g) ?? [];
  return used.map((one) => new X509Certificate(one).fingerprint256);
}

const base64Lines = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/.{64}/g, '$&\n');
const pemOf = (label: string, bytes: Uint8Array) =>
  `-----BEGIN ${label}-----\n${base64Lines(bytes)}\n-----END ${label}-----\n`;

const { Class, Type, create, fromDer, toDer, oidToDer } = forge.asn1;
type Asn1 = forge.asn1.Asn1;
const parse = (bytes: Uint8Array) => fromDer(Buffer.from(bytes).toString('latin1'));
const bytesOf = (asn1: Asn1) => Buffer.from(toDer(asn1).getBytes(), 'latin1');
const sequence = (...value: Asn1[]) => create(Class.UNIVERSAL, Type.SEQUENCE, true, value);
const octets = (value: Buffer) => create(Class.UNIVERSAL, Type.OCTETSTRING, false, value.toString('latin1'));
const oid = (name: string) => create(Class.UNIVERSAL, Type.OID, false, oidToDer(name).getBytes());
const integer = (...value: number[]) =>
  create(Class.UNIVERSAL, Type.INTEGER, false, Buffer.from(value).toString('latin1'));
const partsOf = (asn1: Asn1 | undefined) => (Array.isArray(asn1?.value) ? asn1.value : []);

/** A file without a check gets that of RFC 9579. */
function checkedByPbmac1(unchecked: Buffer): Buffer {
  const pfx = parse(unchecked);
  const [version, content] = partsOf(pfx);
  const [data] = partsOf(partsOf(content)[1]);
  if (!version || !content || typeof data?.value !== 'string') return expect.unreachable();
  const salt = Buffer.from('salt for it');
  const key = pbkdf2Sync(password, salt, 2048, 32, 'sha512');
  const digest = createHmac('sha256', key).update(Buffer.from(data.value, 'latin1')).digest();
  const prf = sequence(oid('1.2.840.113549.2.11'), create(Class.UNIVERSAL, Type.NULL, false, ''));
  const kdf = sequence(oid('1.2.840.113549.1.5.12'), sequence(octets(salt), integer(8, 0), integer(32), prf));
  const mac = sequence(oid('1.2.840.113549.1.5.14'), sequence(kdf, sequence(oid('1.2.840.113549.2.9'))));
  const check = sequence(sequence(mac, octets(digest)), octets(salt), integer(8, 0));
  return bytesOf(sequence(version, content, check));
}

/** As some programs write what they pass on while they read it (BER). */
function inPieces(whole: Buffer): Buffer {
  const [version, content, check] = partsOf(parse(whole));
  const [type, data] = partsOf(content);
  const [text] = partsOf(data);
  if (!version || !type || !check || typeof text?.value !== 'string') return expect.unreachable();
  const bytes = Buffer.from(text.value, 'latin1');
  const open = (tag: number, ...parts: Buffer[]) =>
    Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.alloc(2)]);
  const pieces = [octets(bytes.subarray(0, 1000)), octets(bytes.subarray(1000))].map(bytesOf);
  return open(
    0x30,
    bytesOf(version),
    open(0x30, bytesOf(type), open(0xa0, open(0x24, ...pieces))),
    bytesOf(check),
  );
}

/** A certificate whose signature's parameters leave out what may be left out. */
async function signedWithBarePss(): Promise<Buffer> {
  const certificate = parse(new X509Certificate(await readFile(file('rsa.pem'))).raw);
  const [signed] = partsOf(certificate);
  const sha256 = sequence(oid('2.16.840.1.101.3.4.2.1'));
  const inContext = (tag: number, value: Asn1) => create(Class.CONTEXT_SPECIFIC, tag, true, [value]);
  const algorithm = sequence(
    oid('1.2.840.113549.1.1.10'),
    sequence(inContext(0, sha256), inContext(1, sequence(oid('1.2.840.113549.1.1.8'), sha256))),
  );
  const body = sequence(...partsOf(signed).map((part, at) => (at === 2 ? algorithm : part)));
  const key = createPrivateKey(await readFile(file('rsa.key')));
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const signature = sign('sha256', bytesOf(body), { key, padding, saltLength: 20 });
  const bits = create(Class.UNIVERSAL, Type.BITSTRING, false, `\0${signature.toString('latin1')}`);
  return bytesOf(sequence(body, algorithm, bits));
}

describe('PKCS#12 files', () => {
  test.each([
    ['as OpenSSL 3 writes them', 'rsa', []],
    ['with an elliptic key', 'ec', []],
    ['with a key for RSASSA-PSS only', 'pss', []],
    [
      'as Windows and older programs write them',
      'rsa',
      ['-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'],
    ],
    ['with an issuer', 'rsa', ['-certfile', 'ec.pem']],
  ] as const)('%s are read', async (_what, key, args) => {
    const written = await pkcs12({ key, args: args.map((arg) => (arg.endsWith('.pem') ? file(arg) : arg)) });
    const result = readCertificateFile(written, password);
    if (!result.ok) return expect.unreachable(result.error);
    const certificate = new X509Certificate(result.identity.certificate);
    expect(certificate.fingerprint256).toBe(
      new X509Certificate(await readFile(file(`${key}.pem`))).fingerprint256,
    );
    expect(certificate.checkPrivateKey(createPrivateKey(result.identity.key))).toBe(true);
    expect(result.identity.certificate.match(/BEGIN/g)).toHaveLength(args.length === 2 ? 2 : 1);
    return undefined;
  });

  test.each([
    ['with something behind it', (whole: Buffer) => Buffer.concat([whole, Buffer.from('\r\n')])],
    ['in base64', (whole: Buffer) => Buffer.from(base64Lines(whole))],
    ['in PEM', (whole: Buffer) => Buffer.from(pemOf('PKCS12', whole))],
    ['in pieces of unknown length', inPieces],
    ['checked as FIPS has it (RFC 9579)', checkedByPbmac1],
  ])('%s are read', async (_what, write) => {
    const args = write === checkedByPbmac1 ? ['-nomac'] : [];
    const written = write(await pkcs12({ args }));
    expect(readCertificateFile(written, password)).toMatchObject({ ok: true });
    expect(readCertificateFile(written, 'wrong')).toEqual({ ok: false, error: 'wrong-password' });
  });

  test('a wrong password is told as such also where nothing checks the file', async () => {
    const written = await pkcs12({ args: ['-nomac'] });
    expect(readCertificateFile(written, password)).toMatchObject({ ok: true });
    expect(readCertificateFile(written, 'wrong')).toEqual({ ok: false, error: 'wrong-password' });
  });

  test('of a certificate and the one that renews it with the same key, the new one is used', async () => {
    await issue('old', ['-days', '1']);
    await issue('new', ['-days', '3']);
    for (const order of [
      ['old', 'new'],
      ['new', 'old'],
    ]) {
      const result = await readBoth(order);
      expect(result).toEqual([await fingerprintOf('new')]);
    }
  });

  test('of a certificate for mail and one to sign in with, the latter is used', async () => {
    await issue('mail', ['-days', '3'], 'emailProtection');
    await issue('sign-in', ['-days', '1'], 'clientAuth,emailProtection');
    expect(await readBoth(['mail', 'sign-in'])).toEqual([await fingerprintOf('sign-in')]);
  });

  test('each certificate is followed by its issuer, in whatever order a file has them', async () => {
    const authority = await createTestAuthority('root');
    const upper = await authority.below('upper');
    const lower = await upper.below('lower');
    const own = await lower.issue({ client: 'ann' });
    await writeFile(file('own.key'), own.key);
    await writeFile(
      file('own.pem'),
      [authority, upper, own, lower].map(({ certificate }) => certificate).join(''),
    );
    const written = await pkcs12({ from: ['-inkey', file('own.key'), '-in', file('own.pem')] });
    const result = readCertificateFile(written, password);
    if (!result.ok) return expect.unreachable(result.error);
    const sent = result.identity.certificate.match(/-----BEGIN[^]+?-----END CERTIFICATE-----/g) ?? [];
    const names = sent.map((one) => new X509Certificate(one).toLegacyObject().subject.CN);
    expect(names).toEqual(['ann', 'lower', 'upper', 'root']);
    return undefined;
  });

  test('a certificate stays as its issuer has signed it (digitalbazaar/forge 650)', async () => {
    const unusual = await signedWithBarePss();
    await writeFile(file('bare.pem'), pemOf('CERTIFICATE', unusual));
    const written = await pkcs12({ from: ['-inkey', file('rsa.key'), '-in', file('bare.pem')] });
    const result = readCertificateFile(written, password);
    if (!result.ok) return expect.unreachable(result.error);
    expect(new X509Certificate(result.identity.certificate).raw.equals(unusual)).toBe(true);
    return undefined;
  });

  test('a wrong password is told as such', async () => {
    const written = await pkcs12();
    for (const wrong of ['', 'wrong']) {
      expect(readCertificateFile(written, wrong)).toEqual({ ok: false, error: 'wrong-password' });
    }
  });

  test('what cannot be read here is told as such', async () => {
    const written = await pkcs12({ args: ['-keypbe', 'CAMELLIA-256-CBC', '-certpbe', 'CAMELLIA-256-CBC'] });
    expect(readCertificateFile(written, password)).toEqual({ ok: false, error: 'unsupported' });
  });

  test.each(['small', 'dsa', 'secp256k1'] as const)(
    'a key that TLS refuses is told as such: %s',
    async (key) => {
      expect(readCertificateFile(await pkcs12({ key }), password)).toEqual({
        ok: false,
        error: 'key-refused',
      });
    },
  );

  test('what is no certificate with its key is refused', async () => {
    const keyless = await pkcs12({ from: ['-nokeys', '-in', file('rsa.pem')] });
    const whole = await pkcs12();
    const pem = await readFile(file('rsa.pem'));
    const der = new X509Certificate(pem).raw;
    for (const other of [
      keyless,
      pem,
      der,
      Buffer.alloc(0),
      Buffer.from('garbage'),
      whole.subarray(0, 200),
    ]) {
      expect(readCertificateFile(other, password)).toEqual({ ok: false, error: 'not-a-certificate' });
    }
  });
});

describe('PEM files', () => {
  const both = async (key = 'rsa.key') =>
    Buffer.concat([
      Buffer.from('Bag Attributes\n    friendlyName: Ann\n'),
      await readFile(file('rsa.pem')),
      await readFile(file(key)),
    ]);

  test.each([
    ['as programs write them', (text: string) => text],
    ['as editors on Windows write them', (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`],
    ['with the key first', (text: string) => text.replace(/([^]*?)(-----BEGIN PRIV[^]*)/, '$2$1')],
  ])('with a certificate and its key are read %s', async (_how, write) => {
    const result = readCertificateFile(Buffer.from(write((await both()).toString())), '');
    if (!result.ok) return expect.unreachable(result.error);
    expect(new X509Certificate(result.identity.certificate).fingerprint256).toBe(await fingerprintOf('rsa'));
    return undefined;
  });

  test.each([
    ['PKCS#8', []],
    ['the old way', ['-traditional', '-aes128']],
  ])('with a key that is encrypted in %s need its password', async (_how, args) => {
    await writeFile(file('password'), password);
    const how = args.length > 0 ? ['rsa', ...args] : ['pkcs8', '-topk8'];
    const names = ['-in', file('rsa.key'), '-out', file('locked.key')];
    await run(['openssl', ...how, ...names, '-passout', `file:${file('password')}`]);
    const locked = await both('locked.key');
    expect(readCertificateFile(locked, password)).toMatchObject({ ok: true });
    for (const wrong of ['', 'wrong'])
      expect(readCertificateFile(locked, wrong)).toEqual({ ok: false, error: 'wrong-password' });
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

  test.each([
    ['with a comma', '/CN=Example\\, Ann+UID=ann', 'Example, Ann'],
    ['with quotes', '/O=Example/CN=Zoë "Z" <z@example.net>', 'Zoë "Z" <z@example.net>'],
    [
      'without what moves the text around it',
      '/CN=Ann\u001b[31m\u202eexe\nCN=Root',
      expect.stringMatching(/^[^\p{Cc}\u202e]+(?:\n[^\p{Cc}]+)?$/u),
    ],
    ['of a company', '/O=Example\\, Inc.', 'Example, Inc.'],
  ])('its name is shown as people write it: %s', async (_what, subject, name) => {
    const { identities } = await setUp();
    const names = ['-key', file('rsa.key'), '-out', file('named.pem'), '-subj', subject];
    await run(['openssl', 'req', '-x509', '-utf8', '-days', '5', ...names]);
    const chosen = await pkcs12({ from: ['-inkey', file('rsa.key'), '-in', file('named.pem')] });
    await identities.host.set({ address, file: chosen.toString('base64'), password });
    expect((await identities.host.get({ address })).certificate).toMatchObject({ name });
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
