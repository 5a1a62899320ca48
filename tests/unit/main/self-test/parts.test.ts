import { X509Certificate } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import dnsPacket from 'dns-packet';
import { expect, onTestFinished, test } from 'vitest';
import { createDtlsClient, type DtlsEnd } from '../../../../helper/engine/own/dtls/client.ts';
import { answerDns, dnsQuery } from '../../../../src/main/self-test/dns-answer.ts';
import { makeCertificate } from '../../../../src/main/self-test/gateway/certificate.ts';
import { createRecordOpener, createRecordSealer, readHeader } from '#node/anyconnect/dtls/record.ts';
import {
  createDtlsServer,
  type DtlsServer,
  type ServedRecords,
} from '../../../../src/main/self-test/gateway/dtls-server.ts';
import { namedSession } from '../../../../src/main/self-test/gateway/hello.ts';
import { answerSignIn } from '../../../../src/main/self-test/gateway/sign-in-form.ts';
import { localNeighbours } from '../../../../src/main/self-test/here/local-neighbours.ts';
import { selfTestReport, writeReport } from '../../../../src/main/self-test/report.ts';
import {
  makeFrame,
  ipv4Packet,
  ipv6Packet,
  ipv6Text,
  ipv6Bytes,
  readFrame,
} from '../../../../src/main/self-test/packets/frame.ts';
import { leaksIn } from '../../../../src/main/self-test/checks/uplink-watch.ts';

/** What a self-test is made of; that it works with real engines is shown in tests/helper/self-test. */

test('a certificate is for its name alone, signed by itself, and valid now', () => {
  const now = Date.UTC(2030, 1, 2, 3, 4, 5);
  const { certificate } = makeCertificate('gateway.self-test.test', now);
  const read = new X509Certificate(certificate);
  expect(read.checkHost('gateway.self-test.test')).toBe('gateway.self-test.test');
  expect(read.checkHost('other.self-test.test')).toBeUndefined();
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.ca).toBe(true);
  expect(Date.parse(read.validFrom)).toBe(now - 24 * 3_600_000);
  expect(Date.parse(read.validTo)).toBe(now + 24 * 3_600_000);
});

// The folder may be one in which others can write, too, such as a shared disk's.
test.skipIf(process.getuid?.() !== 0)(
  'a report is given to whoever has called sudo, and nothing else is',
  async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-report-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [file, other] = [path.join(folder, 'report.txt'), path.join(folder, 'other')];
    writeReport(file, 'found\n', { SUDO_UID: '4321', SUDO_GID: '4321' });
    expect([readFileSync(file, 'utf8'), lstatSync(file).uid]).toEqual(['found\n', 4321]);
    writeFileSync(other, 'somebody else’s');
    writeReport(file, 'found again\n', {
      // Between writing and giving.
      get SUDO_UID() {
        const [unfinished = ''] = readdirSync(folder).filter((name) => name.endsWith('.new'));
        rmSync(path.join(folder, unfinished));
        symlinkSync(other, path.join(folder, unfinished));
        return '4321';
      },
      SUDO_GID: '4321',
    });
    expect(lstatSync(other).uid).toBe(0);
  },
);

test('a resolver answers with the addresses that it knows, and with none for other names', () => {
  const find = ({ name, type }: { name: string; type: number }) =>
    name === 'where.test' ? Buffer.alloc(type === 1 ? 4 : 16, 7) : undefined;
  const ask = (type: 'A' | 'AAAA', name: string) => {
    const query = dnsPacket.encode({ type: 'query', id: 9, questions: [{ type, name }] });
    return dnsPacket.decode(answerDns(query, find) ?? Buffer.alloc(0));
  };
  expect(ask('A', 'WHERE.test')).toMatchObject({ id: 9, type: 'response', answers: [{ data: '7.7.7.7' }] });
  expect(ask('AAAA', 'where.test').answers).toMatchObject([{ data: '707:707:707:707:707:707:707:707' }]);
  expect(ask('A', 'other.test')).toMatchObject({ rcode: 'NOERROR', answers: [] });
  expect(dnsPacket.decode(dnsQuery('a.test', 5))).toMatchObject({
    id: 5,
    questions: [{ type: 'A', name: 'a.test' }],
  });
  for (const odd of ['', '00', 'ff'.repeat(12), '0000010000010000000000003f61'])
    expect(answerDns(Buffer.from(odd, 'hex'), find), odd).toBeUndefined();
});

/** Connects a client of the own engine to a server, without a network; `lose`: which datagrams vanish. */
function connect(
  keys: { client: Buffer; server: Buffer },
  lose: (count: number) => boolean = () => false,
  onConnected: (server: DtlsServer) => void = () => undefined,
) {
  const told: string[] = [];
  const rests: Buffer[] = [];
  let count = 0;
  const passes = () => !lose((count += 1));
  const server = createDtlsServer({
    key: keys.server,
    send: (datagram) => void (passes() && queueMicrotask(() => client.receive(datagram))),
    onContent: (content) => told.push(`server: ${content.toString()}`),
    onConnected({ cipher }) {
      told.push(cipher);
      onConnected(server);
    },
    onEnd: () => told.push('closed'),
  });
  const sessionId = Buffer.alloc(32, 5);
  const ended: DtlsEnd[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const take = (rest: Buffer | undefined) => rest && rests.push(rest);
  const client = createDtlsClient({
    key: keys.client,
    identity: 'psk',
    sessionId,
    firstTimeoutMs: 5,
    send(datagram) {
      if (count === 0) expect(namedSession(datagram)).toEqual(sessionId);
      if (passes()) queueMicrotask(() => take(server.receive(datagram)));
    },
    onConnected: () => resolve(),
    onData: (content) => told.push(`client: ${content.toString()}`),
    onEnd(end) {
      ended.push(end);
      resolve();
    },
  });
  client.start();
  return { server, client, told, rests, ended, settled: promise };
}

/** What was sent without a network has come. */
const arrived = () => new Promise((resolve) => setImmediate(resolve));

test('DTLS: packets go both ways, also when each flight is lost once, and a strange key gets nothing', async () => {
  const key = Buffer.alloc(32, 1);
  for (const lost of [0, 1, 2, 3, 4]) {
    const { server, client, told, settled } = connect(
      { client: key, server: key },
      (count) => count === lost,
    );
    await settled;
    expect(server.send(Buffer.from('down')), String(lost)).toBe(true);
    await arrived();
    client.write(Buffer.from('up'));
    client.close();
    await arrived();
    expect(told).toEqual(['aes-256-gcm', 'client: down', 'server: up', 'closed']);
  }
  const strange = connect({ client: key, server: Buffer.alloc(32, 2) });
  await strange.settled;
  expect([strange.ended, strange.told, strange.server.send(Buffer.from('down'))]).toEqual([
    ['no answer'],
    [],
    false,
  ]);
  strange.server.receive(Buffer.from('16fefd'.padEnd(80, '0'), 'hex'));
  expect(namedSession(Buffer.alloc(40, 22))).toBeUndefined();
});

test('DTLS: whoever takes a connection over has the keys, the numbers, and what comes from then on', async () => {
  const key = Buffer.alloc(32, 1);
  const { promise: records, resolve } = Promise.withResolvers<ServedRecords>();
  const { server, client, told, rests, settled } = connect({ client: key, server: key }, undefined, (own) =>
    resolve(own.handOver()),
  );
  const { suite, client: theirs, server: ours, sequence, seen } = await records;
  await settled;
  // The last message of each end was the first that was encrypted.
  expect([sequence, seen]).toEqual([1, [0]]);
  client.write(Buffer.from('up'));
  await arrived();
  const [rest = Buffer.alloc(0)] = rests;
  const header = readHeader(rest, 0);
  expect(header && createRecordOpener(suite, theirs)(header, rest)?.toString()).toBe('up');
  const sealer = createRecordSealer(suite, ours, 1);
  // The client has seen the first number.
  sealer.seal(23, Buffer.from('nothing'));
  client.receive(sealer.seal(23, Buffer.from('down')) ?? Buffer.alloc(0));
  expect(told).toEqual(['aes-256-gcm', 'client: down']);
  expect(server.send(Buffer.from('down'))).toBe(false);
  expect(() => server.handOver()).toThrow('no connection');
});

test('the sign-in wants the right password, and gives a token only for that', () => {
  const credentials = { username: 'somebody', password: 'a <secret>' };
  const reply = (password: string) =>
    answerSignIn(
      `<config-auth type="auth-reply"><auth><username>somebody</username><password>${password}</password></auth></config-auth>`,
      credentials,
      () => 'token',
    );
  expect(answerSignIn('<config-auth type="init"/>', credentials, () => 'token')).toMatchObject({
    kind: 'form',
  });
  expect(reply('a &lt;secret&gt;')).toMatchObject({
    kind: 'signed-in',
    xml: expect.stringContaining('>token<'),
  });
  expect(reply('wrong')).toMatchObject({ kind: 'form', xml: expect.stringContaining('Login failed') });
  expect(answerSignIn('nonsense', credentials, () => 'token').kind).toBe('refused');
});

test('what leaves is a leak unless it goes to the gateway’s port, or is a message of the link', () => {
  const header = { from: '020000000001', to: '020000000002' };
  const sent = (destination: string, kind: number, payload: string) => {
    const isV6 = destination.includes(':');
    const packet = isV6 ? ipv6Packet : ipv4Packet;
    const source = isV6 ? '2001:db8::1' : '192.0.2.1';
    const bytes = packet({ source, destination, kind }, Buffer.from(payload, 'hex'));
    return readFrame(makeFrame({ ...header, type: isV6 ? 0x86dd : 0x0800 }, bytes))!;
  };
  const toPort443 = '0001 01bb 0000 0000'.replaceAll(' ', '');
  const allowed = { gateway: { addresses: ['198.51.100.2'], port: 443 } };
  const leak = (...frame: Parameters<typeof sent>) => leaksIn([sent(...frame)], allowed).length === 1;
  expect(leak('198.51.100.2', 17, toPort443)).toBe(false);
  expect(leak('198.51.100.2', 17, toPort443.replace('01bb', '0035'))).toBe(true);
  expect(leak('198.51.100.3', 6, toPort443)).toBe(true);
  expect(leak('ff02::1', 58, '8700000000000000')).toBe(false);
  expect(leak('2001:db8::2', 58, '8000000000000000')).toBe(true);
  // To renew an address, where there is a real network.
  const discover = '0044 0043 0000 0000'.replaceAll(' ', '');
  expect(leak('255.255.255.255', 17, discover)).toBe(true);
  expect(leaksIn([sent('255.255.255.255', 17, discover)], { ...allowed, leases: true })).toEqual([]);
  for (const address of ['::', '::1', 'fe80::1:0:0:1', '2001:db8:0:1:1:1:1:1', '1::'])
    expect(ipv6Text(ipv6Bytes(address))).toBe(address);
});

test.each(['/home', '/Users'])(
  'a report names nobody of %s, and keeps the addresses of all self-tests',
  (homes) => {
    const text = selfTestReport({
      at: new Date(0),
      version: '1.2.3',
      env: { SUDO_USER: 'Zoë' },
      homes,
      findings: {
        verdicts: [
          {
            check: 'plain',
            engine: 'own',
            outcome: 'failed',
            observers: ['uplink'],
            unseen: [{ ipVersion: 'ipv6', why: 'no-control', details: ['not seen: a ping'] }],
            details: [
              'left the computer: UDP from 192.168.77.10 to 203.0.113.80 port 7',
              `${os.hostname()} Zoë`,
            ],
            milliseconds: 5,
          },
        ],
        facts: { engines: 'own' },
        coreLog: [],
        helperLog: [`{"level":"info","msg":"from 198.41.0.4 in ${homes}/Zoë/x"}`],
        obstacle: undefined,
      },
    });
    expect(text).toContain('plain, engine own: failed, 5 ms, seen by uplink');
    expect(text).toContain('    what leaves by ipv6: not checked (no-control)\n        not seen: a ping\n');
    expect(text).toContain('192.168.77.10 to 203.0.113.80');
    expect(text).toContain('[address 1] in [home]/x');
    expect(text).not.toMatch(/Zoë|198\.41/);
    expect(text).not.toContain(os.hostname());
  },
);

// With access to the local network, what is private behind a router stays in the tunnel, and is no leak.
test('another computer is a neighbour at its private addresses on a network that both are on', () => {
  const networks = ['10.1.0.7/24', '192.0.2.7/24', 'fd00:1::7/64', 'fe80::7/64'];
  const found = ['10.1.0.9', '10.2.0.9', '192.0.2.9', 'fd00:1::9', 'fd00:2::9', 'fe80::9', '2001:db8::9', ''];
  expect(localNeighbours(found, networks)).toEqual(['10.1.0.9', 'fd00:1::9']);
});
