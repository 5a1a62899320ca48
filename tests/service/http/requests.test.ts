import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import path from 'node:path';
import { portalProbePath } from '#shared/constants.ts';
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
  ['a path that is no text', 400, '/api/page-notes/%ff', {}],
  ['an endless path', 400, `/api/page-notes/${'x'.repeat(5000)}`, {}],
])('%s is refused with %i, in an envelope, with security headers', async (_, status, where, init) => {
  const reply = await fetchEnvelope(running.url + where, init);
  expect(reply).toMatchObject({ status, body: { code: status, msg: expect.any(String), data: null } });
  expect(reply.body.msg).not.toBe('');
  expectSecurityHeaders(reply);
});

function expectSecurityHeaders({ headers }: { headers: Headers }) {
  expect(headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('strict-transport-security')).toBeNull();
}

test('who looks for a captive portal gets nothing, and it is not cached', async () => {
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

test('who sends too many requests is refused for a while, in their language', async () => {
  await using limited = await startTestService({ requestsPerMinute: 3 });
  const headers = { 'accept-language': 'zh-TW' };
  const refused = { status: 429, body: { code: 429, msg: '請求過於頻繁，請稍後再試。', data: null } };
  for (const where of ['/api/basic-info', '/api/none', '/api/user-info']) {
    expect((await fetchEnvelope(limited.url + where, { headers })).status).not.toBe(429);
  }
  const reply = await fetchEnvelope(`${limited.url}/api/basic-info`, { headers });
  expect(reply).toMatchObject(refused);
  expectSecurityHeaders(reply);
  expect(await fetchEnvelope(`${limited.url}/api/none`, { headers })).toMatchObject(refused);
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
  const addressFrom = async (environment: NodeJS.ProcessEnv, forwardedFor?: string) => {
    await using asked = await startTestService({ environment });
    const info = await new TestDevice(asked).client.call('basicInfo');
    const at = info.ok ? info.data.addressUrl : undefined;
    const headers: Record<string, string> = forwardedFor ? { 'x-forwarded-for': forwardedFor } : {};
    return at === `${asked.url}/api/address` ? await (await fetch(at, { headers })).json() : at;
  };
  const answer = (address: string) => ({ code: 0, msg: '', data: { address } });
  const trusting = { WAYMAKER_TRUSTED_PROXIES: '127.0.0.1' };
  expect(await addressFrom({}, '203.0.113.9')).toEqual(answer('127.0.0.1'));
  expect(await addressFrom(trusting, '203.0.113.9')).toEqual(answer('203.0.113.9'));
  expect(await addressFrom(trusting, '::ffff:203.0.113.9')).toEqual(answer('203.0.113.9'));
  expect(await addressFrom(trusting, '2001:db8:0::9')).toEqual(answer('2001:db8::9'));
  expect(await addressFrom(trusting, 'nobody')).toMatchObject({ code: 404 });
  const elsewhere = 'https://address.example.net/';
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
