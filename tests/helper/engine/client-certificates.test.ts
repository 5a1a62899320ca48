import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClientCertificate } from '#shared/helper/gateway-session.ts';
import { addresses } from '../../lab/network/addresses.ts';
import {
  startHostileGateway,
  usableHeaders,
  type HostileGateway,
} from '../../lab/gateway/hostile-gateway.ts';
import { createTestAuthority, type TestAuthority } from '../../unit/main/support/test-authority.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

let net: HelperLab;
let authority: TestAuthority;
let authorityFile: string;
let identity: ClientCertificate;
let identityFile: string;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  authority = await createTestAuthority('client authority');
  identity = await authority.issue({ client: net.username });
  authorityFile = path.join(net.lab.directory, 'client-authority.pem');
  identityFile = path.join(net.lab.directory, 'identity.json');
  await writeFile(authorityFile, authority.certificate);
  await writeFile(identityFile, JSON.stringify(identity));
  await net.start();
});

afterAll(() => net[Symbol.asyncDispose]());

/** A line from the middle of the key. */
const partOfKey = () => identity.key.split(/\r?\n/)[5] ?? '';

if (isExhaustive)
  describe('a real ocserv', () => {
    test.each([
      ['alone', true],
      ['with a password', false],
    ])('makes a tunnel for a client certificate %s', async (_how, only) => {
      await net.lab.gateway.restart({ clientCertificates: { authority: authorityFile, only } });
      await expect(net.signIn()).rejects.toThrow('certificate-required');
      const session = await net.signIn(net.lab.gateway, { identityFile });
      expect(session.clientCertificate).toEqual(identity);

      const client = await net.attach();
      await client.call('connect', net.request({ session }));
      await client.until('connected');
      expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
      await client.call('disconnect', {});
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });

    afterAll(() => net.lab.gateway.stop());
  });

describe('a gateway that demands a certificate for the tunnel, too', () => {
  let gateway: HostileGateway;

  beforeAll(async () => {
    gateway = await startHostileGateway(net.lab.gatewayMachine, net.lab.directory, net.lab.gateway, {
      clientAuthority: authorityFile,
    });
    await gateway.push([...usableHeaders, ['X-CSTP-Address', '198.51.100.140']]);
  });

  afterAll(() => gateway[Symbol.asyncDispose]());

  test('gives one to the holder of the certificate, whose key nobody else can read', async () => {
    const client = await net.attach();
    const session = { ...gateway.session, clientCertificate: identity, agent: 'compatible' as const };
    await client.call('connect', net.request({ session }));
    await client.until('connected');
    // The name under which it signed in goes with it.
    expect(await gateway.asked()).toMatch(
      /^User-Agent: AnyConnect-compatible OpenConnect VPN Agent v9\.20 /im,
    );

    const engines = await net.engines();
    expect(engines).toHaveLength(1);
    const seen = await visibleOf([net.pid(), ...engines]);
    // What proves that it was looked at in the right places.
    const program = { openconnect: '--sslkey=/proc/self/fd/', own: 'waymaker-engine' };
    expect(seen).toContain(program[net.engine]);
    expect(seen).toContain('PATH=');
    expect(seen).toContain('"message":"engine"');
    expect(seen).toContain(net.lab.gateway.name);
    expect(seen).not.toContain(partOfKey());
    expect(seen).not.toContain('PRIVATE KEY');
    expect(await readLog(client)).not.toContain(partOfKey());
    // The helper has given its copies away.
    expect(await openSecrets(net.pid())).toBe(0);
    // Our own engine has read its copy, which is nobody's then.
    expect(await openSecrets(engines[0] ?? 0)).toBe({ openconnect: 2, own: 0 }[net.engine]);
    await client.call('disconnect', {});
  });

  const unusable: [string, () => Promise<ClientCertificate | undefined>][] = [
    ['no certificate', () => Promise.resolve(undefined)],
    ['another’s key', async () => ({ ...identity, key: (await authority.issue({})).key })],
    [
      'garbage as certificate',
      () => Promise.resolve({ ...identity, certificate: block('CERTIFICATE', 'AAAA') }),
    ],
    ['garbage as key', () => Promise.resolve({ ...identity, key: block('PRIVATE KEY', 'AAAA') })],
  ];

  test.each(casesOf({ usual: unusable.slice(0, 1), all: unusable }))(
    'with %s, asks for another sign-in, then gives up with the reason',
    async (_which, choose) => {
      const clientCertificate = await choose();
      const session = { ...gateway.session, ...(clientCertificate && { clientCertificate }) };
      const client = await net.attach();
      await client.call('connect', net.request({ session }));
      await client.until('connecting', { where: ({ phase }) => phase === 'authenticating' });
      await client.call('provideSession', { session });
      await client.until('disconnected', {
        seen: 1,
        where: ({ reason }) => reason === 'certificate-required',
      });
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    },
  );

  if (isExhaustive)
    test('opens nothing for one of another authority', async () => {
      const clientCertificate = await (await createTestAuthority('another')).issue({ client: 'x' });
      const client = await net.attach();
      await client.call('connect', net.request({ session: { ...gateway.session, clientCertificate } }));
      // It breaks off without a word, which could as well be the network.
      await client.until('disconnected', { seen: 1, where: ({ reason }) => reason === 'engine-failed' });
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });

  if (isExhaustive)
    test('is reached again after a crash of the helper, when a sign-in brings the certificate', async () => {
      const session = { ...gateway.session, clientCertificate: identity };
      const client = await net.attach();
      await client.call('connect', net.request({ session, killSwitch: true }));
      await client.until('connected');
      await net.end('SIGKILL');
      await net.start();

      const again = await net.attach();
      await again.until('connecting', { where: ({ phase }) => phase === 'authenticating' });
      const seen = again.states.length;
      await again.call('provideSession', { session: gateway.session });
      // Without it, it is asked for again.
      await again.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
      await again.call('provideSession', { session });
      await again.until('connected');
      await again.call('disconnect', {});
    });
});

test.each<[string, () => Partial<ClientCertificate>]>([
  ['a huge chain', () => ({ certificate: identity.certificate.repeat(100) })],
  ['too many certificates', () => ({ certificate: identity.certificate.repeat(10) })],
  ['a huge key', () => ({ key: block('PRIVATE KEY', 'A'.repeat(20_000)) })],
  ['an encrypted key', () => ({ key: block('ENCRYPTED PRIVATE KEY', 'AAAA') })],
  ['a path for a key', () => ({ key: '/etc/shadow' })],
  ['a key among certificates', () => ({ certificate: identity.certificate + identity.key })],
  ['something after the key', () => ({ key: `${identity.key}\0x` })],
])('%s is refused by name and not repeated', async (_what, change) => {
  const client = await net.attach();
  const session = {
    cookie: 'webvpn=x',
    certificatePin: `pin-sha256:${'A'.repeat(43)}=`,
    clientCertificate: { ...identity, ...change() },
  };
  const refusal = await client.call('connect', net.request({ session })).then(
    () => 'accepted',
    (error: unknown) => String(error),
  );
  expect(refusal).toMatch(/session\.clientCertificate\.(certificate|key): /);
  expect(refusal).not.toContain(partOfKey());
  expect(net.log()).not.toContain(partOfKey());
});

const block = (label: string, content: string) =>
  `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`;

/** All that other users, or who reads files later, could see of these processes and the helper. */
async function visibleOf(pids: number[]): Promise<string> {
  const files = pids.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
  const kept = await readdir(net.stateDirectory, { recursive: true, withFileTypes: true });
  const stored = kept
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  expect(stored).not.toEqual([]);
  const texts = await Promise.all([...files, ...stored].map((file) => readFile(file, 'latin1')));
  return [...texts, net.log()].join('\n');
}

async function readLog(client: Awaited<ReturnType<HelperLab['attach']>>): Promise<string> {
  return (await client.call('readLog', {})).lines.join('\n');
}

/** How many files in memory a process has open. */
async function openSecrets(pid: number): Promise<number> {
  const { stdout } = await net.lab.user.exec(['sh', '-c', `ls -l /proc/${pid}/fd | grep -c memfd:waymaker`]);
  return Number(stdout);
}
