import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ProxyCredentials, ProxyProtocol } from '#shared/helper/gateway-session.ts';
import { connectThroughProxy, ProxyRefused } from '#node/proxy/connect-through-proxy.ts';

type Answer = string | Buffer;

/**
 * A proxy that answers what comes first on each connection, all in the same way or each in its own; `asked` has what
 * came.
 */
async function proxySaying(...answers: Answer[]): Promise<{ port: number; asked: Buffer[] }> {
  let count = 0;
  const asked: Buffer[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => asked.push(bytes));
    const answer = answers[Math.min(count, answers.length - 1)] ?? '';
    count += 1;
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

const gateway = { host: 'gw.example', port: 443 };
const login = { username: 'guest', password: 'secret' };
const through = (
  port: number,
  protocol: ProxyProtocol,
  target = gateway,
  credentials: ProxyCredentials = login,
) =>
  connectThroughProxy({
    connect: () => Promise.resolve(connect({ host: '127.0.0.1', port })),
    protocol,
    credentials,
    target,
  });
const authorization = `Proxy-Authorization: Basic ${Buffer.from('guest:secret').toString('base64')}\r\n`;
const ok = 'HTTP/1.1 200 OK\r\n\r\n';
const asks = (...challenges: string[]) =>
  `HTTP/1.1 407 No\r\n${challenges.map((one) => `Proxy-Authenticate: ${one}\r\n`).join('')}\r\n`;

test('the proxy is asked by name', async () => {
  const { port, asked } = await proxySaying('HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n');
  (await through(port, 'http')).destroy();
  const request = Buffer.concat(asked).toString();
  expect(request).toMatch(/^CONNECT gw\.example:443 HTTP\/1\.1\r\n/);
  expect(request, 'it has not asked for them').not.toContain('Authorization');
});

test.each<[string, string[], string | undefined]>([
  ['whoever entered them for any realm', ['Basic realm="a"'], undefined],
  ['the realm that they are for', ['Basic realm="a"'], 'a'],
  ['that realm without quotation marks', ['basic  realm = a , charset="UTF-8"'], 'a'],
  [
    'that realm beside others',
    ['Digest realm="Basic, b", nonce="x"', 'NTLM, Basic charset="UTF-8", realm="a"'],
    'a',
  ],
  ['that realm before others', ['Basic realm="a, \\"b\\"", Digest realm="c", nonce="x"'], 'a, "b"'],
  ['no realm', ['Basic'], ''],
])(
  'credentials are sent, on a second connection, to a proxy that asks for %s',
  async (_what, challenges, realm) => {
    const { port, asked } = await proxySaying(asks(...challenges), ok);
    const credentials = { ...login, ...(realm !== undefined && { realm }) };
    (await through(port, 'http', gateway, credentials)).destroy();
    expect(asked.map(String).map((request) => request.includes(authorization))).toEqual([false, true]);
  },
);

test.each([
  ['asks for another realm', [asks('Basic realm="b"')], { why: 'credentials', realm: 'b' }],
  [
    'asks for another realm in each challenge',
    [asks('Digest realm="a", nonce="x"', 'Basic realm="b"')],
    { why: 'credentials', realm: 'b' },
  ],
  [
    'asks for what only looks like Basic',
    [asks('Digest realm="Basic realm=a", nonce="x"')],
    { why: 'scheme' },
  ],
  [
    'asks for it as the other end would',
    ['HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="a"\r\n\r\n'],
    { why: 'refused' },
  ],
  ['does not ask', ['HTTP/1.1 403 No\r\n\r\n'], { why: 'refused' }],
])('credentials for one realm are not sent to a proxy that %s', async (_what, answers, error) => {
  const { port, asked } = await proxySaying(...answers, ok);
  await expect(through(port, 'http', gateway, { ...login, realm: 'a' })).rejects.toMatchObject(error);
  expect(asked).toHaveLength(1);
  expect(String(asked)).not.toContain('Authorization');
});

test('a paused connection, as the helper hands it over, can be used', async () => {
  const { port } = await proxySaying('HTTP/1.1 200 OK\r\n\r\n');
  const open = () => Promise.resolve(connect({ host: '127.0.0.1', port }).pause());
  (
    await connectThroughProxy({ connect: open, protocol: 'http', credentials: undefined, target: gateway })
  ).destroy();
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

test.each<[string, Answer | Answer[], ProxyProtocol, string]>([
  ['wants another password', asks('Basic realm="a"'), 'http', 'credentials'],
  // As tinyproxy does.
  ['does not know the password', [asks('Basic realm="a"'), 'HTTP/1.1 401 No\r\n\r\n'], 'http', 'credentials'],
  ['wants NTLM', asks('NTLM'), 'http', 'scheme'],
  ['wants NTLM or another password', asks('NTLM', 'Basic realm="a"'), 'http', 'credentials'],
  [
    'asks, and then does not lead there',
    [asks('Basic realm="a"'), 'HTTP/1.1 403 No\r\n\r\n'],
    'http',
    'refused',
  ],
  ['does not lead there', 'HTTP/1.1 403 No\r\n\r\n', 'http', 'refused'],
  ['cannot lead there', 'HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno', 'http', 'refused'],
  ['says more', 'HTTP/1.1 200 OK\r\n\r\nhello', 'http', 'refused'],
  ['redirects', 'HTTP/1.1 302 No\r\nLocation: http://login.example/\r\n\r\n', 'http', 'refused'],
  ['has no way for those who ask', Buffer.from([5, 0xff]), 'socks5', 'credentials'],
])('a proxy that %s is told apart', async (_what, answer, protocol, why) => {
  const { port } = await proxySaying(...[answer].flat());
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

test('a proxy that says again and again that it is at work is not waited for', async () => {
  const { port } = await proxySaying('HTTP/1.1 100\r\n\r\n'.repeat(100));
  await expect(through(port, 'http')).rejects.toThrow('it is at work, and says nothing else');
});

test('a proxy that is not there is reported with the system’s error', async () => {
  await expect(through(9, 'http')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
