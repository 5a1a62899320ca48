import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ProxyProtocol } from '#shared/helper/gateway-session.ts';
import { connectThroughProxy, ProxyRefused } from '#node/proxy/connect-through-proxy.ts';

/** A proxy that answers the first bytes with these, whatever they are; `asked` has what came. */
async function proxySaying(answer: string | Buffer): Promise<{ port: number; asked: Buffer[] }> {
  const asked: Buffer[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => asked.push(bytes));
    socket.once('data', () => socket.write(answer));
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, asked };
}

const through = (port: number, protocol: ProxyProtocol, target = { host: 'gw.example', port: 443 }) =>
  connectThroughProxy({
    transport: connect({ host: '127.0.0.1', port }),
    protocol,
    credentials: { username: 'guest', password: 'secret' },
    target,
  });

test('the proxy is asked by name', async () => {
  const { port, asked } = await proxySaying('HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n');
  (await through(port, 'http')).destroy();
  const request = Buffer.concat(asked).toString();
  expect(request).toMatch(/^CONNECT gw\.example:443 HTTP\/1\.1\r\n/);
  expect(request).toContain(
    `Proxy-Authorization: Basic ${Buffer.from('guest:secret').toString('base64')}\r\n`,
  );
});

test('a paused connection, as the helper hands it over, can be used', async () => {
  const { port } = await proxySaying('HTTP/1.1 200 OK\r\n\r\n');
  const transport = connect({ host: '127.0.0.1', port }).pause();
  const target = { host: 'gw.example', port: 443 };
  (await connectThroughProxy({ transport, protocol: 'http', credentials: undefined, target })).destroy();
});

test('an address of IPv6 is in brackets', async () => {
  const { port, asked } = await proxySaying('HTTP/1.0 200 Connection established\r\n\r\n');
  (await through(port, 'http', { host: '2001:db8::1', port: 443 })).destroy();
  expect(Buffer.concat(asked).toString()).toMatch(/^CONNECT \[2001:db8::1\]:443 /);
});

test.each([
  ['ends its lines with LF alone', 'HTTP/1.0 200 Connection established\n\n'],
  ['has a blank before a colon', 'HTTP/1.1 200 OK\r\nServer : a\r\n\r\n'],
  ['first says that it is at work', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
  ['hints at something', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
  ['announces no body', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['announces two bodies', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['announces the end', 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n'],
  ['gives no reason', 'HTTP/1.1 200\r\n\r\n'],
])('a proxy that %s leads there all the same', async (_what, answer) => {
  const { port, asked } = await proxySaying(answer);
  const socket = await through(port, 'http');
  socket.write('hello');
  await expect.poll(() => Buffer.concat(asked).toString()).toMatch(/\r\n\r\nhello$/);
  socket.destroy();
});

test.each<[string, string | Buffer, ProxyProtocol, string]>([
  [
    'wants a password',
    'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="a"\r\n\r\n',
    'http',
    'credentials',
  ],
  ['does not know the password', 'HTTP/1.1 401 No\r\n\r\n', 'http', 'credentials'],
  ['wants NTLM', 'HTTP/1.1 407 No\r\nProxy-Authenticate: NTLM\r\n\r\n', 'http', 'scheme'],
  [
    'wants NTLM or a password',
    'HTTP/1.1 407 No\r\nProxy-Authenticate: NTLM\r\nProxy-Authenticate: Basic realm="a"\r\n\r\n',
    'http',
    'credentials',
  ],
  ['does not lead there', 'HTTP/1.1 403 No\r\n\r\n', 'http', 'refused'],
  ['cannot lead there', 'HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno', 'http', 'refused'],
  ['says more', 'HTTP/1.1 200 OK\r\n\r\nhello', 'http', 'refused'],
  ['redirects', 'HTTP/1.1 302 No\r\nLocation: http://login.example/\r\n\r\n', 'http', 'refused'],
  ['has no way for those who ask', Buffer.from([5, 0xff]), 'socks5', 'credentials'],
])('a proxy that %s is told apart', async (_what, answer, protocol, why) => {
  const { port } = await proxySaying(answer);
  const error: unknown = await through(port, protocol).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ProxyRefused);
  expect(error).toMatchObject({ why });
});

test.each<[string, ProxyProtocol]>([
  ['SSH-2.0-OpenSSH_9.2\r\n', 'http'],
  [`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 'http'],
  ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000), 'http'],
  ['HTTP/1.1 400 Bad Request\r\n\r\n', 'socks5'],
])('what is no answer of a proxy fails: %#', async (answer, protocol) => {
  const { port } = await proxySaying(answer);
  await expect(through(port, protocol)).rejects.toThrow();
});

test('a proxy that is not there is reported with the system’s error', async () => {
  await expect(through(9, 'http')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
