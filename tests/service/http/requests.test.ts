import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import path from 'node:path';
import { portalProbePath } from '#shared/constants.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import {
  fetchEnvelope,
  newDirectory,
  newEmail,
  production,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';

let running: TestService;
beforeAll(async () => {
  running = await startTestService();
});
afterAll(() => running[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };

test.each([
  ['an unknown call', 404, '/api/none', {}],
  ['the API’s root', 404, '/api', {}],
  ['another method of a known call', 404, '/api/basic-info', { method: 'POST', headers: json, body: '{}' }],
  ['what is no JSON', 400, '/api/auth', { method: 'POST', headers: json, body: '{"authId":' }],
  ['an empty body', 400, '/api/auth', { method: 'POST', headers: json, body: '' }],
  ['a prototype in JSON', 400, '/api/auth', { method: 'POST', headers: json, body: '{"__proto__":{"a":1}}' }],
  ['a list', 422, '/api/auth', { method: 'POST', headers: json, body: '[]' }],
  ['null', 422, '/api/auth', { method: 'POST', headers: json, body: 'null' }],
  ['plain text', 415, '/api/auth', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }],
  ['XML', 415, '/api/auth', { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<a/>' }],
  ['too much', 413, '/api/auth', { method: 'POST', headers: json, body: `"${'x'.repeat(20_000)}"` }],
  ['a path that is no text', 404, '/api/page-notes/%ff', {}],
  ['an endless path', 404, `/api/page-notes/${'x'.repeat(5000)}`, {}],
])(
  '%s is refused with %i, in an envelope, with the headers of all refusals',
  async (_, status, where, init) => {
    const reply = await fetchEnvelope(running.url + where, init);
    expect(reply).toMatchObject({ status, body: { code: status, msg: expect.any(String), data: null } });
    expect(reply.body.msg).not.toBe('');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expectSecurityHeaders(reply);
  },
);

test.each(['OPTIONS *', 'GET ftp://example.net/api/none'])(
  'what is asked for with %s is refused with the headers of all refusals',
  async (line) => {
    const answer = await sendRaw(running.url, [`${line} HTTP/1.1`, 'Host: a']);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).toMatch(/^cache-control: no-store\r$/im);
    expect(answer).toMatch(/^content-security-policy: default-src 'self'/im);
  },
);

test('a request on an open connection is answered while the server closes', async () => {
  await using closing = await startTestService();
  const socket = connect(Number(new URL(closing.url).port), '127.0.0.1');
  const answers = text(socket);
  // One that has begun keeps the connection open.
  socket.write(
    'POST /api/auth HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n',
  );
  const { http } = closing.service;
  await once(http.server, 'request');
  const closed = http.close();
  await expect.poll(() => http.server.listening).toBe(false);
  socket.write('{}GET /api/basic-info HTTP/1.1\r\nHost: a\r\n\r\n');
  expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 422', 'HTTP/1.1 200']);
  await closed;
});

function expectSecurityHeaders({ headers }: { headers: Headers }) {
  expect(headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('strict-transport-security')).toBeNull();
}

test('a check for a captive portal gets an empty answer that is not cached', async () => {
  const reply = await fetch(running.url + portalProbePath);
  expect(reply.status).toBe(204);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expectSecurityHeaders(reply);
});

test('replies are neither cached nor read by other sites', async () => {
  const reply = await fetchEnvelope(`${running.url}/api/basic-info`);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  expectSecurityHeaders(reply);
});

/** What is answered to bytes on a new connection, until the service ends it. */
async function statusesOf(sent: string): Promise<string[]> {
  const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
  socket.write(sent);
  return (await text(socket)).match(/HTTP\/1\.1 \d+/g) ?? [];
}

/** A request, and another one that a proxy would take for its body if it read its length in another way. */
const smuggling = (headers: string, body: string) =>
  `POST /api/auth HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}` +
  'GET /api/basic-info HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

test.each([
  ['one length', 'Content-Length: 2', '{}'],
  ['chunks', 'Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks, behind a tab', 'Transfer-Encoding:\tchunked', '2\r\n{}\r\n0\r\n\r\n'],
])('two requests on a connection are two: the first with %s', async (_how, headers, body) => {
  expect(await statusesOf(smuggling(headers, body))).toEqual(['HTTP/1.1 422', 'HTTP/1.1 200']);
});

test.each([
  ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 40', '{}'],
  ['a length twice', 'Content-Length: 2, 2', '{}'],
  ['a length with a sign', 'Content-Length: +2', '{}'],
  ['a length with a blank before its colon', 'Content-Length : 2', '{}'],
  ['chunks and something else', 'Transfer-Encoding: chunked, identity', '2\r\n{}\r\n0\r\n\r\n'],
  ['something like chunks', 'Transfer-Encoding: xchunked', '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks in a folded line', 'Transfer-Encoding:\r\n chunked', '2\r\n{}\r\n0\r\n\r\n'],
  ['a chunk whose length is none', 'Transfer-Encoding: chunked', '2 x\r\n{}\r\n0\r\n\r\n'],
])(
  'a request that proxies may end elsewhere is refused, with all that follows it: %s',
  async (_how, ...sent) => {
    expect(await statusesOf(smuggling(...sent))).toEqual(['HTTP/1.1 400']);
  },
);

test('a client that sends too many requests is refused for a while, in its language', async () => {
  await using limited = await startTestService({ requestsPerMinute: 3 });
  const headers = { 'accept-language': 'zh-TW' };
  const refused = { status: 429, body: { code: 429, msg: '請求過於頻繁，請稍後再試。', data: null } };
  for (const where of ['/api/basic-info', '/api/none', '/api/user-info']) {
    expect((await fetchEnvelope(limited.url + where, { headers })).status).not.toBe(429);
  }
  const reply = await fetchEnvelope(`${limited.url}/api/basic-info`, { headers });
  expect(reply).toMatchObject(refused);
  expectSecurityHeaders(reply);
  for (const where of ['/api/none', '/api/page-notes/%ff']) {
    expect(await fetchEnvelope(limited.url + where, { headers })).toMatchObject(refused);
  }
});

test('a forwarded address is not believed, unless a trusted proxy forwards it', async () => {
  const from = (url: string, address: string) =>
    fetchEnvelope(`${url}/api/basic-info`, { headers: { 'x-forwarded-for': address } });
  await using alone = await startTestService({ requestsPerMinute: 1 });
  expect(await from(alone.url, '192.0.2.1')).toMatchObject({ status: 200 });
  expect(await from(alone.url, '192.0.2.2')).toMatchObject({ status: 429 });
  await using proxied = await startTestService({
    environment: { WAYMAKER_TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' },
    requestsPerMinute: 1,
  });
  expect(await from(proxied.url, '192.0.2.1')).toMatchObject({ status: 200 });
  expect(await from(proxied.url, '192.0.2.2')).toMatchObject({ status: 200 });
  // What stands before the last address that no trusted proxy has, is the caller's own invention.
  expect(await from(proxied.url, '203.0.113.9, 192.0.2.1, 10.1.2.3')).toMatchObject({ status: 429 });
  expect(await from(proxied.url, '2001:db8:0:1::1')).toMatchObject({ status: 200 });
  expect(await from(proxied.url, '2001:db8:0:1:ffff::2')).toMatchObject({ status: 429 });
  expect(await from(proxied.url, '2001:db8:0:2::1')).toMatchObject({ status: 200 });
  // What is no address is one caller together.
  expect(await from(proxied.url, '0x7f.1')).toMatchObject({ status: 200 });
  expect(await from(proxied.url, 'somebody')).toMatchObject({ status: 429 });
});

const everyTen = Array.from({ length: 10 }, (_, i) => i + 1);
const notations: [string, string, (n: number) => string][] = [
  ['ports', 'x-forwarded-for', (n) => `192.0.2.${n}:${40_000 + n}`],
  ['brackets', 'x-forwarded-for', (n) => `[2001:db8:0:${n}::1]`],
  ['brackets and ports', 'x-forwarded-for', (n) => `[2001:db8:0:${n}::1]:443`],
  ['ports without brackets', 'x-forwarded-for', (n) => `2001:db8:0:${n}:1:2:3:4:443`],
  ['IPv4 in IPv6, and ports', 'x-forwarded-for', (n) => `[::ffff:192.0.2.${n}]:443`],
  ['zones', 'x-forwarded-for', (n) => `fe80::${n}%eth0`],
  ['zones and ports', 'x-forwarded-for', (n) => `[fe80::${n}%25eth0]:443`],
  ['quotes', 'x-forwarded-for', (n) => `"[2001:db8:0:${n}::1]:443"`],
  ['hidden names', 'x-forwarded-for', (n) => `_hidden-${n}`],
  ['trusted proxies with ports', 'x-forwarded-for', (n) => `203.0.113.9, 192.0.2.${n}:1, 127.0.0.1:2`],
  ['RFC 7239', 'forwarded', (n) => `for=192.0.2.${n};proto=http;by=203.0.113.43`],
  ['RFC 7239, ports', 'forwarded', (n) => `for=203.0.113.9, FOR="192.0.2.${n}:47011"`],
  ['RFC 7239, IPv6', 'forwarded', (n) => `by=_a;for="[2001:db8:0:${n}::17]:4711"`],
  ['RFC 7239, hidden names', 'forwarded', (n) => `for="_p,\\"${n}", for=_SEVKISEK-${n};host="a,b;for=1"`],
];

/** Each has a service of its own, whose limits nobody has used. */
const usualNotations = [
  'ports',
  'IPv4 in IPv6, and ports',
  'zones and ports',
  'trusted proxies with ports',
  'RFC 7239, hidden names',
];
const notationsOfRun = casesOf({
  usual: notations.filter(([name]) => usualNotations.includes(name)),
  all: notations,
});

test.each(notationsOfRun)(
  'callers whose addresses come with %s have a limit each',
  async (_, header, node) => {
    await using proxied = await startTestService({
      environment: { WAYMAKER_TRUSTED_PROXIES: '127.0.0.1' },
      requestsPerMinute: 1,
    });
    const statusFrom = async (n: number) =>
      (await fetch(`${proxied.url}/api/basic-info`, { headers: { [header]: node(n) } })).status;
    const statuses = async () => {
      const answered: number[] = [];
      for (const n of everyTen) answered.push(await statusFrom(n));
      return answered;
    };
    expect(await statuses()).toEqual(everyTen.map(() => 200));
    expect(await statuses()).toEqual(everyTen.map(() => 429));
  },
);

test('a proxy’s own header precedes what its caller says in the other one', async () => {
  await using proxied = await startTestService({
    environment: { WAYMAKER_TRUSTED_PROXIES: '127.0.0.1' },
    requestsPerMinute: 1,
  });
  const statusWith = async (invention: string) => {
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: `for=${invention}` };
    return (await fetch(`${proxied.url}/api/basic-info`, { headers })).status;
  };
  expect(await statusWith('192.0.2.2')).toBe(200);
  expect(await statusWith('192.0.2.3')).toBe(429);
});

test('links lead to where Forwarded says that the caller is', async () => {
  await using proxied = await startTestService({
    environment: { WAYMAKER_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const headers = { forwarded: 'for=192.0.2.1;proto=https;host="vpn.example.net:8443"' };
  expect(await fetchEnvelope(`${proxied.url}/api/basic-info`, { headers })).toMatchObject({
    body: { data: { links: { pay_url: 'https://vpn.example.net:8443/pay/order' } } },
  });
});

/** The whole answer to what is sent on a connection. */
async function sendRaw(url: string, lines: string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  return text(socket);
}

test.each(['/%61pi/basic-info', '/api/basic%2Dinfo', 'http://vpn.example.net/api/basic-info'])(
  'a call at %s is answered like any other',
  async (target) => {
    const answer = await sendRaw(running.url, [`GET ${target} HTTP/1.1`, 'Host: vpn.example.net']);
    expect(answer).toContain('HTTP/1.1 200 ');
    expect(answer).toContain('cache-control: no-store');
    expect(answer).toContain('http://vpn.example.net/pay/order');
  },
);

test('the host of an absolute target precedes the Host field', async () => {
  const answer = await sendRaw(running.url, [
    'GET http://vpn.example.net/api/basic-info HTTP/1.1',
    'Host: other.example.net',
  ]);
  expect(answer).toContain('http://vpn.example.net/pay/order');
});

test.each(['/api/basic-info', '/login'])('two Host fields are refused at %s', async (target) => {
  const answer = await sendRaw(running.url, [
    `GET ${target} HTTP/1.1`,
    'Host: vpn.example.net',
    'host: other.example.net',
  ]);
  expect(answer).toContain('HTTP/1.1 400 ');
  expect(answer).toContain('"code":400');
});

test('the Unix socket is limited too, and links to where the caller says they are', async () => {
  const socketPath = path.join(await newDirectory(), 'run', 'service.sock');
  await using both = await startTestService({
    environment: { WAYMAKER_SERVICE_SOCKET: socketPath },
    requestsPerMinute: 1,
  });
  expect(await getOverSocket(socketPath, '/api/basic-info')).toMatchObject({
    code: 0,
    data: { links: { pay_url: 'http://vpn.example.net/pay/order' } },
  });
  expect(await getOverSocket(socketPath, '/api/basic-info', '192.0.2.1')).toMatchObject({ code: 429 });
  expect(await fetchEnvelope(`${both.url}/api/basic-info`)).toMatchObject({ status: 200 });
});

test('over a Unix socket that is trusted, each forwarded address has its own limit', async () => {
  const socketPath = path.join(await newDirectory(), 'service.sock');
  await using _ = await startTestService({
    environment: { WAYMAKER_SERVICE_SOCKET: socketPath, WAYMAKER_TRUSTED_PROXIES: 'unix' },
    requestsPerMinute: 1,
  });
  for (const [address, code] of [
    ['192.0.2.1', 0],
    ['192.0.2.2', 0],
    ['192.0.2.1', 429],
  ] as const) {
    expect(await getOverSocket(socketPath, '/api/basic-info', address)).toMatchObject({ code });
  }
});

function getOverSocket(socketPath: string, where: string, forwardedFor?: string): Promise<unknown> {
  const headers = { host: 'vpn.example.net', ...(forwardedFor && { 'x-forwarded-for': forwardedFor }) };
  return new Promise((resolve, reject) => {
    request({ socketPath, path: where, headers }, (reply) => {
      text(reply).then((body) => resolve(JSON.parse(body)), reject);
    })
      .on('error', reject)
      .end();
  });
}

test('the public address is told instead of the own one', async () => {
  await using proxied = await startTestService({
    environment: { ...production, WAYMAKER_PUBLIC_URL: 'https://vpn.example.net/' },
  });
  const result = await new TestDevice(proxied).client.call('basicInfo');
  expect(result.ok && result.data.links.device_login).toBe('https://vpn.example.net/device-login');
});

test('a caller is told the address it comes from, also behind a proxy that is trusted', async () => {
  /** What it answers to callers who are forwarded for these; or where else to ask. */
  const addressFrom = async (environment: NodeJS.ProcessEnv, ...forwardedFor: string[]) => {
    await using asked = await startTestService({ environment });
    const info = await new TestDevice(asked).client.call('basicInfo');
    const at = info.ok ? info.data.addressUrl : undefined;
    if (at !== `${asked.url}/api/address`) return at;
    const answers = forwardedFor.map(async (address) =>
      (await fetch(at, { headers: { 'x-forwarded-for': address } })).json(),
    );
    return await Promise.all(answers);
  };
  const answer = (address: string) => ({ code: 0, msg: '', data: { address } });
  const elsewhere = 'https://address.example.net/';
  expect(await addressFrom({}, '203.0.113.9')).toEqual([answer('127.0.0.1')]);
  const trusting = { WAYMAKER_TRUSTED_PROXIES: '127.0.0.1' };
  const forwarded = ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:0::9', 'nobody'];
  expect(await addressFrom(trusting, ...forwarded)).toMatchObject([
    answer('203.0.113.9'),
    answer('203.0.113.9'),
    answer('2001:db8::9'),
    { code: 404 },
  ]);
  expect(await addressFrom({ WAYMAKER_ADDRESS_URL: elsewhere })).toBe(elsewhere);
});

test('installers are told where they are published, and only those', async () => {
  await using published = await startTestService({
    environment: { WAYMAKER_DOWNLOAD_LINUX_URL: 'https://get.example.net/waymaker.deb' },
  });
  const result = await new TestDevice(published).client.call('basicInfo');
  const links = result.ok ? Object.entries(result.data.links) : [];
  expect(links.filter(([name]) => name.startsWith('download_'))).toEqual([
    ['download_linux_url', 'https://get.example.net/waymaker.deb'],
  ]);
  expect(result.ok && result.data).not.toHaveProperty('supportEmail');
});

test('where to write to with a problem is told, if there is somewhere, and the release that there is', async () => {
  await using helpful = await startTestService({
    environment: { WAYMAKER_SUPPORT_EMAIL: 'help@example.net', WAYMAKER_LATEST_VERSION: '1.20.3' },
  });
  const result = await new TestDevice(helpful).client.call('basicInfo');
  expect(result.ok && result.data.supportEmail).toBe('help@example.net');
  expect(result.ok && result.data.latestVersion).toBe('1.20.3');
});

test('a database that fails is told as 500, without details', async () => {
  await using broken = await startTestService({ kind: 'postgresql' });
  const device = new TestDevice(broken);
  await device.signIn(newEmail());
  await broken.service.database.execute('drop table entitlements');
  const headers = {
    authorization: `Basic ${btoa(`${device.deviceId}:${device.token}`)}`,
    'accept-language': 'zh-HK',
  };
  const reply = await fetchEnvelope(`${broken.url}/api/my-service`, { headers });
  expect(reply).toMatchObject({
    status: 500,
    body: { code: 500, msg: '服務發生問題，請重試。', data: null },
  });
  expectSecurityHeaders(reply);
  expect(await device.client.call('userInfo')).toMatchObject({ ok: true });
});
