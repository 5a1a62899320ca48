import { createHook } from 'node:async_hooks';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../../src/service/log.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import {
  fetchEnvelope,
  newDirectory,
  newEmail,
  newSeededEnvironment,
  signedIn,
  startTestService,
  type TestDevice,
  type TestService,
} from '../test-service.ts';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/route-lists');
let running: TestService;
let device: TestDevice;
beforeAll(async () => {
  const environment = await newSeededEnvironment('postgresql', { routeApps: ['firefox', 'com.example.app'] });
  running = await startTestService({
    environment: {
      ...environment,
      WAYMAKER_ROUTE_LISTS: fixtures,
      WAYMAKER_ROUTE_DOMAINS_FILE: 'cn-domains.txt',
    },
  });
  device = await signedIn(running, newEmail());
});
afterAll(() => running[Symbol.asyncDispose]());

const entriesOf = async (name: string) =>
  (await readFile(path.join(fixtures, name), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
const get = (where: string, headers: Record<string, string> = {}) => {
  const authorization = `Basic ${btoa(`${device.deviceId}:${device.token}`)}`;
  return fetch(running.url + where, { headers: { authorization, ...headers } });
};

test.each(['cn', 'CN'])('the IPv4 prefixes of %s are those of its file', async (country) => {
  const items = await entriesOf('cn-ipv4-prefixes.txt');
  expect(items).toHaveLength(3912);
  expect(await device.client.call('ipv4Prefixes', { params: { country } })).toEqual({
    ok: true,
    data: { items },
  });
});

test('the countries that have a list are told', async () => {
  expect(await device.client.call('ipv4Countries')).toEqual({ ok: true, data: { items: ['cn'] } });
});

test.each(['xx', 'c', 'cnn', '../cn', '..%2fcn', '__proto__'])(
  'there are no prefixes of %s',
  async (country) => {
    const result = await device.client.call('ipv4Prefixes', { params: { country } });
    expect(result).toMatchObject({ failure: { code: 404 } });
  },
);

test('the PAC lists are those of their files, and empty without a file', async () => {
  const routeDomains = await entriesOf('cn-domains.txt');
  expect(await device.client.call('pac')).toEqual({ ok: true, data: { routeDomains, blockedDomains: [] } });
});

test.each(['gzip', 'br'])('large lists are compressed by %s', async (encoding) => {
  const reply = await get('/api/route/pac', { 'accept-encoding': encoding });
  expect(reply.headers.get('content-encoding')).toBe(encoding);
  expect(reply.headers.get('vary')).toMatch(/^accept-encoding$/i);
  expect(await reply.json()).toMatchObject({ code: 0 });
});

test('a client that has the list already is only told that it is the same', async () => {
  const reply = await get('/api/route/pac');
  expect(reply.headers.get('cache-control')).toBe('private, no-cache');
  await reply.arrayBuffer();
  const etag = reply.headers.get('etag') ?? '';
  const again = await get('/api/route/pac', { 'if-none-match': etag });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe('');
  const other = await get('/api/route/pac', { 'if-none-match': 'W/"other"' });
  expect(other.status).toBe(200);
  await other.arrayBuffer();
});

test('a tag may be one of several, strong, or any', async () => {
  const etag = (await get('/api/v1/ipv4/cn')).headers.get('etag') ?? '';
  for (const has of [`"other", ${etag}`, etag.replace('W/', ''), '*']) {
    const { status } = await get('/api/v1/ipv4/cn', { 'if-none-match': has });
    expect(status, has).toBe(304);
  }
});

test('a list is encoded once, and not for each request', async () => {
  const authorization = `Basic ${btoa(`${device.deviceId}:${device.token}`)}`;
  const headers = { authorization, 'accept-encoding': 'br' };
  const { http } = running.service;
  const ask = () =>
    Promise.all(Array.from({ length: 40 }, () => http.inject({ url: '/api/route/pac', headers })));
  await ask();
  expect(await compressorsMadeBy(ask)).toBe(0);
  // Whether a compressor is seen at all.
  expect(await compressorsMadeBy(() => promisify(brotliCompress)('text'))).toBe(1);
});

/** How many of zlib's compressors are made while something is done. */
async function compressorsMadeBy(run: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ZLIB') count += 1;
    },
  }).enable();
  await run();
  hook.disable();
  return count;
}

test('a list needs sign-in, whatever the caller has', async () => {
  const etag = (await get('/api/v1/ipv4/cn')).headers.get('etag') ?? '';
  expect(etag).not.toBe('');
  const headers = { 'if-none-match': etag };
  expect(await fetchEnvelope(`${running.url}/api/v1/ipv4/cn`, { headers })).toMatchObject({ status: 401 });
});

test('other replies are not compressed, and have no tag', async () => {
  const { headers } = await get('/api/basic-info', { 'accept-encoding': 'gzip' });
  expect(headers.get('content-encoding')).toBeNull();
  expect(headers.get('etag')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
});

test('the answer about apps names those that are routed', async () => {
  const filter = (apps: string[]) => device.client.call('filterMyApps', { body: { apps } });
  expect(await filter(['com.other', 'com.example.app', 'firefox', 'firefox', 'Firefox', ''])).toEqual({
    ok: true,
    data: { items: ['com.example.app', 'firefox'] },
  });
  expect(await filter([])).toEqual({ ok: true, data: { items: [] } });
  const many = Array.from({ length: 2000 }, (_, i) => `com.example.${'x'.repeat(200)}.app${i}`);
  expect(await filter([...many.slice(1), 'firefox'])).toMatchObject({ data: { items: ['firefox'] } });
  expect(await filter([...many, 'firefox'])).toMatchObject({ failure: { code: 422 } });
});

test('without a directory of lists they are empty', async () => {
  await using bare = await startTestService({ kind: 'postgresql' });
  const other = await signedIn(bare, newEmail());
  expect(await other.client.call('pac')).toEqual({
    ok: true,
    data: { routeDomains: [], blockedDomains: [] },
  });
  const prefixes = await other.client.call('ipv4Prefixes', { params: { country: 'cn' } });
  expect(prefixes).toMatchObject({ failure: { code: 404 } });
});

/** What a service answers that has these files, and the places that its log names. */
async function listsOf(files: Record<string, string | Buffer>) {
  const directory = await newDirectory();
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(directory, name), content);
  let log = '';
  const logger = createLogger('warn', { write: (line) => (log += line) });
  const environment = { WAYMAKER_ROUTE_LISTS: directory };
  await using listed = await startTestService({ environment, logger });
  const own = await signedIn(listed, newEmail());
  const countries = await own.client.call('ipv4Countries');
  const prefixes: Record<string, string[]> = {};
  for (const country of countries.ok ? countries.data.items : []) {
    const result = await own.client.call('ipv4Prefixes', { params: { country } });
    prefixes[country] = result.ok ? result.data.items : [];
  }
  const sites = await own.client.call('pac');
  const named = [...log.matchAll(/([\w-]+\.txt:\d+) is no entry/g)].map(([, place]) => place);
  return { sites: sites.ok ? sites.data : undefined, prefixes, named };
}

test('the service uses what it can of each list, and names the other lines', async () => {
  const lists = await listsOf({
    'route-domains.txt':
      '\ufeffexample.com # a comment\r\n192.0.2.1\na.-b\n\nexample.42\n0x7f\nexample..com\n2001:db8::1\nzwei.example\n',
    'blocked-domains.txt': 'https://example.com/\nads.example\n127.1\n',
    'de-ipv4-prefixes.txt':
      '\ufeff# all\n0.0.0.0/0\n192.0.2.0/24\n192.0.2.1/24\n192.0.2.0\n2001:db8::/32\n0x0a.0.0.0/8\n10.0.0.0/8\n',
  });
  expect(lists).toEqual({
    sites: { routeDomains: ['example.com', 'zwei.example'], blockedDomains: ['ads.example'] },
    prefixes: { de: ['192.0.2.0/24', '10.0.0.0/8'] },
    named: [
      ...[2, 4, 5, 6].map((line) => `de-ipv4-prefixes.txt:${line}`),
      'de-ipv4-prefixes.txt:7',
      ...[2, 3, 5, 6, 7, 8].map((line) => `route-domains.txt:${line}`),
      'blocked-domains.txt:1',
      'blocked-domains.txt:3',
    ],
  });
});

test('names are told as apps compare them, however the list writes them', async () => {
  const { sites, named } = await listsOf({
    'route-domains.txt': 'Example.COM\n*.a.test\n.b.test\nbücher.example\nc.test.\n',
  });
  expect(named).toEqual([]);
  expect(sites?.routeDomains).toEqual(['example.com', 'a.test', 'b.test', 'xn--bcher-kva.example', 'c.test']);
});

test('a list of an editor that writes UTF-16 is read, too', async () => {
  const { sites, named } = await listsOf({
    'route-domains.txt': Buffer.from('\ufeffexample.com\r\na.test\r\n', 'utf16le'),
  });
  expect(named).toEqual([]);
  expect(sites?.routeDomains).toEqual(['example.com', 'a.test']);
});

test('lists that are changed, added or removed while the service runs are taken up, and broken ones are not', async () => {
  const directory = await newDirectory();
  const write = async (name: string, content: string) => {
    await writeFile(path.join(directory, `${name}.new`), content);
    await rename(path.join(directory, `${name}.new`), path.join(directory, name));
  };
  await write('cn-ipv4-prefixes.txt', '192.0.2.0/24\n');
  await write('de-ipv4-prefixes.txt', '198.51.100.0/24\n');
  await write('route-domains.txt', 'a.test\n');
  let log = '';
  const logger = createLogger('warn', { write: (line) => (log += line) });
  await using following = await startTestService({
    environment: { WAYMAKER_ROUTE_LISTS: directory },
    logger,
  });
  const own = await signedIn(following, newEmail());
  const answers = async () => {
    const [countries, cn, pac] = [
      await own.client.call('ipv4Countries'),
      await own.client.call('ipv4Prefixes', { params: { country: 'cn' } }),
      await own.client.call('pac'),
    ];
    return {
      countries: countries.ok && countries.data.items,
      cn: cn.ok && cn.data.items,
      sites: pac.ok && pac.data.routeDomains,
    };
  };
  const before = { countries: ['cn', 'de'], cn: ['192.0.2.0/24'], sites: ['a.test'] };
  expect(await answers()).toEqual(before);
  // As it is while somebody writes it in place, or after whoever did was stopped: 192.0.0.0/24 would be 192.0.0.0/2.
  await write('cn-ipv4-prefixes.txt', '192.0.2.0/24\n192.0.0.0/2');
  await write('route-domains.txt', 'a.test\nb.test\n');
  await write('fr-ipv4-prefixes.txt', '203.0.113.0/24\n');
  await rm(path.join(directory, 'de-ipv4-prefixes.txt'));
  const meanwhile = { countries: ['cn', 'fr'], cn: before.cn, sites: ['a.test', 'b.test'] };
  await expect.poll(answers, { timeout: waitLimit(15_000) }).toEqual(meanwhile);
  await expect.poll(() => log, { timeout: waitLimit(15_000) }).toContain('cn-ipv4-prefixes.txt');
  await write('cn-ipv4-prefixes.txt', '192.0.2.0/24\n192.0.0.0/24\n');
  const after = { ...meanwhile, cn: ['192.0.2.0/24', '192.0.0.0/24'] };
  await expect.poll(answers, { timeout: waitLimit(15_000) }).toEqual(after);
  expect(log.match(/cn-ipv4-prefixes\.txt/g), 'what was broken is told once').toHaveLength(1);
});
