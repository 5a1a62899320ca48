import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { gatewayThroughProxy } from '#node/anyconnect/gateway-through-proxy.ts';
import { openGatewayTls } from '#node/anyconnect/gateway-tls.ts';
import { connectThroughProxy } from '#node/proxy/connect-through-proxy.ts';
import { secureProxy } from '#node/proxy/secure-proxy.ts';
import { makeCertificate } from '../../../../src/main/self-test/gateway/certificate.ts';
import { pinOf } from '../../main/support/test-authority.ts';

const ofProxy = makeCertificate('proxy.example', Date.now());
const ofGateway = makeCertificate('gw.example', Date.now());

async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A proxy that speaks TLS and connects to this port, whatever it is asked for; `asked` has what came inside TLS. */
async function secureProxyTo(target: number): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createTlsServer({ cert: ofProxy.certificate, key: ofProxy.key }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head: Buffer) => {
      asked.push(head.toString());
      const far = connect({ host: '127.0.0.1', port: target });
      far.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => far.destroy());
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
  });
  server.on('tlsClientError', () => undefined);
  return { port: await listening(server), asked };
}

const credentials = { username: 'guest', password: 'secret' };
const through = (port: number, certificatePinOfIt?: string) =>
  connectThroughProxy({
    connect: () => Promise.resolve(connect({ host: '127.0.0.1', port })),
    protocol: 'https',
    credentials,
    identity: {
      name: 'proxy.example',
      ...(certificatePinOfIt !== undefined && { certificatePin: certificatePinOfIt }),
    },
    target: { host: 'gw.example', port: 443 },
  });

test('TLS with a gateway goes through that with a proxy, and much data both ways', async () => {
  const server = createTlsServer({ cert: ofGateway.certificate, key: ofGateway.key }, (socket) => {
    socket.on('error', () => undefined).pipe(socket);
  });
  const proxy = await secureProxyTo(await listening(server));
  const known = { credentials, identity: { name: 'proxy.example', certificatePin: pinOf(ofProxy) } };
  const opened = await openGatewayTls(
    { host: 'gw.example', port: 443 },
    '127.0.0.1',
    { pins: [pinOf(ofGateway)] },
    new AbortController().signal,
    undefined,
    gatewayThroughProxy({ protocol: 'https', port: proxy.port }, known),
  );
  if (!opened.ok) throw new Error(opened.detail);
  const sent = randomBytes(3_000_000);
  opened.socket.write(sent);
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of opened.socket as AsyncIterable<Buffer>) {
    hash.update(chunk);
    length += chunk.length;
    if (length >= sent.length) break;
  }
  expect(hash.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
  expect(proxy.asked).toHaveLength(1);
  expect(proxy.asked[0]).toMatch(/^CONNECT gw\.example:443 HTTP\/1\.1\r\n/);
  opened.socket.destroy();
});

test.each([
  ['nobody vouches for', undefined],
  ['has another key than before', pinOf(ofGateway)],
])('a proxy that %s is asked nothing', async (_what, pin) => {
  const proxy = await secureProxyTo(9);
  await expect(through(proxy.port, pin)).rejects.toMatchObject({ why: 'untrusted' });
  expect(proxy.asked).toEqual([]);
  // With its own key it is.
  await through(proxy.port, pinOf(ofProxy)).then(
    (socket) => socket.destroy(),
    () => undefined,
  );
  expect(proxy.asked, 'positive control').toHaveLength(1);
});

// golang/go issue 63117: whoever chooses by that name knows none with a dot.
test('the name that TLS is told has no final dot, whoever has written one', async () => {
  const told: unknown[] = [];
  const server = createTlsServer({ cert: ofProxy.certificate, key: ofProxy.key }, (socket) => {
    told.push(socket.servername);
    socket.on('error', () => undefined).write('.');
  });
  const transport = connect({ host: '127.0.0.1', port: await listening(server) });
  const proxy = { name: 'proxy.example.', certificatePin: pinOf(ofProxy) };
  const { socket } = await secureProxy(transport, proxy);
  await once(socket, 'data');
  socket.destroy();
  expect(told).toEqual(['proxy.example']);
});

test('a proxy that speaks no TLS gets no password', async () => {
  const heard: Buffer[] = [];
  const port = await listening(
    createServer((socket) => {
      socket.on('data', (bytes) => {
        heard.push(bytes);
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    }),
  );
  await expect(through(port)).rejects.toMatchObject({ why: 'untrusted' });
  expect(Buffer.concat(heard).toString('latin1')).not.toMatch(/CONNECT|Proxy-Authorization/);
  await expect(through(9)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
