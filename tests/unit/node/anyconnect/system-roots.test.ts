import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { trustSystemRoots } from '#node/anyconnect/system-roots.ts';
import { createTestAuthority } from '../../main/support/test-authority.ts';

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

test('a root that the system gets later on is trusted without a restart', async () => {
  const [known, added] = await Promise.all([createTestAuthority('known'), createTestAuthority('added')]);
  const { certificate: cert, key } = await added.issue({ ips: ['127.0.0.1'] });
  const server = tls.createServer({ cert, key }, (socket) => socket.on('error', () => undefined).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = async () => {
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
  await writeFile(bundle, known.certificate);
  expect(await connect()).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  await writeFile(bundle, `# the company’s\n${known.certificate}${added.certificate}`);
  expect(await connect()).toBe('trusted');
  await writeFile(bundle, '-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n');
  expect(await connect(), 'while it cannot be read').toBe('trusted');
  await rm(bundle);
  expect(await connect(), 'while it is not there').toBe('trusted');
  server.close();
});
