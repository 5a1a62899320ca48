import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createTestAuthority, type TestAuthority } from '../../main/support/test-authority.ts';

let folder: string;
let bundle: string;
const defaultRoots = tls.getCACertificates('default');
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-roots-'));
  bundle = path.join(folder, 'roots.pem');
  vi.stubEnv('SSL_CERT_FILE', bundle);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  tls.setDefaultCACertificates(defaultRoots);
  await rm(folder, { recursive: true });
});

/** How a connection to a server of this authority is taken, by the roots that the system has now. */
async function startServerOf(authority: TestAuthority) {
  vi.resetModules();
  const { trustSystemRoots } = await import('#node/anyconnect/system-roots.ts');
  const { certificate: cert, key } = await authority.issue({ ips: ['127.0.0.1'] });
  const server = tls.createServer({ cert, key }, (socket) => socket.on('error', () => undefined).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return async () => {
    trustSystemRoots();
    const socket = tls.connect({ host: '127.0.0.1', port });
    try {
      await once(socket, 'secureConnect');
      return 'trusted';
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    } finally {
      socket.destroy();
    }
  };
}

const refused = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
const broken = '-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n';

test('a root that the system gets later on is trusted without a restart', async () => {
  const [known, added] = await Promise.all([createTestAuthority('known'), createTestAuthority('added')]);
  const connect = await startServerOf(added);
  await writeFile(bundle, known.certificate);
  expect(await connect()).toBe(refused);
  await writeFile(bundle, `# the company’s\n${known.certificate}${added.certificate}`);
  expect(await connect()).toBe('trusted');
  await writeFile(bundle, broken);
  expect(await connect(), 'while it cannot be read').toBe('trusted');
  await rm(bundle);
  expect(await connect(), 'while it is not there').toBe('trusted');
});

test.each(['first', 'later'])('a broken certificate hides no other root that is read %s', async (when) => {
  const [known, added] = await Promise.all([createTestAuthority('known'), createTestAuthority('added')]);
  const connect = await startServerOf(added);
  if (when === 'later') {
    await writeFile(bundle, known.certificate);
    expect(await connect()).toBe(refused);
  }
  await writeFile(bundle, `${known.certificate}${broken}${added.certificate}`);
  expect(await connect()).toBe('trusted');
});

test('roots without a line between them are all read (flatcar/Flatcar 1601)', async () => {
  const [known, added] = await Promise.all([createTestAuthority('known'), createTestAuthority('added')]);
  const connect = await startServerOf(added);
  await writeFile(bundle, known.certificate.trimEnd() + added.certificate);
  expect(await connect()).toBe('trusted');
});

test('a root that the system trusts no more is refused without a restart', async () => {
  const [known, gone] = await Promise.all([createTestAuthority('known'), createTestAuthority('gone')]);
  const connect = await startServerOf(gone);
  await writeFile(bundle, `${known.certificate}${gone.certificate}`);
  expect(await connect()).toBe('trusted');
  await writeFile(bundle, known.certificate);
  expect(await connect()).toBe(refused);
});

test('a root that the system trusts no more is trusted further if it is one of Node’s own', async () => {
  const known = await createTestAuthority('beside');
  const connect = await startServerOf(known);
  const [own = ''] = tls.rootCertificates;
  await writeFile(bundle, `${known.certificate}${own.trimEnd()}\n`);
  expect(await connect()).toBe('trusted');
  await writeFile(bundle, known.certificate);
  expect(await connect()).toBe('trusted');
  expect(tls.getCACertificates('default')).toContain(new X509Certificate(own).toString());
});
