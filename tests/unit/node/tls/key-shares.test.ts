import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openGatewayTls } from '#node/anyconnect/gateway-tls.ts';
import { whyWithout, type OcservVersion } from '../../../lab/gateway/ocserv-versions.ts';
import { createTestAuthority, pinOf, type TestCertificate } from '../../main/support/test-authority.ts';
import { startOcserv, type Ocserv } from '../../main/support/ocserv.ts';

/** A gateway that gets no share for the group it wants asks for another first message, which costs a round trip. */

const host = 'gw.example.net';
/** As Debian's ocserv.conf has it: the server's order counts, which has P-256 first. */
const debianPriorities =
  'tls-priorities = "NORMAL:%SERVER_PRECEDENCE:%COMPAT:-RSA:-VERS-SSL3.0:-ARCFOUR-128"';
let certificate: TestCertificate;

beforeAll(async () => {
  certificate = await (await createTestAuthority()).issue({ names: [host] });
});

/**
 * Hands on what comes, and counts the messages with which clients begin (RFC 8446 §4.1.2), by connection: on a busy
 * machine, there may be a second one, with the small message.
 */
async function startCountingRelay(target: number) {
  const hellos: number[] = [];
  const [handshake, clientHello] = [22, 1];
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const index = hellos.push(0) - 1;
    let rest = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (
        let end = 0;
        rest.length >= 6 && rest.length >= (end = 5 + rest.readUInt16BE(3));
        rest = rest.subarray(end)
      )
        if (rest[0] === handshake && rest[5] === clientHello) hellos[index] = (hellos[index] ?? 0) + 1;
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, most: () => Math.max(...hellos) };
}

const versions = (['installed', 'newest'] as const).filter((version) => whyWithout(version) === undefined);

test.each(versions)('the %s ocserv answers the first message', async (version: OcservVersion) => {
  const server: Ocserv = await startOcserv({ certificate, version, users: {}, lines: [debianPriorities] });
  onTestFinished(() => server.stop());
  const { port, most } = await startCountingRelay(server.port);
  const trust = { pins: [pinOf(certificate)] };
  const { signal } = new AbortController();
  const opened = await openGatewayTls({ host, port }, '127.0.0.1', trust, signal);
  if (!opened.ok) throw new Error(opened.detail);
  expect(opened.socket.getProtocol()).toBe('TLSv1.3');
  opened.socket.destroy();
  expect(most()).toBe(1);
});
