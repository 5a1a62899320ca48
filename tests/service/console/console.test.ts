import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDirectory, startTestService, type TestService } from '../test-service.ts';

const page = '<!doctype html><title>Waymaker</title>';
const preloads = {
  pages: {
    '/': { files: ['/assets/account-3c4d.js'], texts: 'all' },
    '/login': { files: ['/assets/login-5e6f.js', '/assets/login-5e6f.css'], texts: 'first' },
  },
  texts: {
    first: { en: ['/assets/en-7a8b.js'], 'zh-hans': [], 'zh-hant': ['/assets/zh-hant-1e2f.js'] },
    all: {
      en: ['/assets/en-7a8b.js', '/assets/en-0c1d.js'],
      'zh-hans': ['/assets/zh-hans-9c0d.js'],
      'zh-hant': ['/assets/zh-hant-5a6b.js'],
    },
  },
};

let running: TestService;
let root: string;
beforeAll(async () => {
  const directory = await newDirectory();
  root = path.join(directory, 'renderer');
  await mkdir(path.join(root, 'assets'), { recursive: true });
  await writeFile(path.join(root, 'index.html'), page);
  await writeFile(path.join(root, 'preload.json'), JSON.stringify(preloads));
  await writeFile(path.join(root, 'assets', 'index-1a2b.js'), 'export {};');
  await writeFile(path.join(root, 'assets', 'index-1a2b.js.br'), brotliCompressSync('export {};'));
  await writeFile(path.join(root, 'service-worker.js'), 'keeps');
  await writeFile(path.join(root, 'withdrawn-service-worker.js'), 'removes');
  await writeFile(path.join(root, '.secret'), 'secret');
  await writeFile(path.join(directory, 'outside.txt'), 'secret');
  running = await startTestService({ environment: { WAYMAKER_CONSOLE_DIR: root } });
});
afterAll(() => running[Symbol.asyncDispose]());

/** A folder with these files. */
async function built(files: Record<string, string>): Promise<string> {
  const directory = await newDirectory();
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(directory, name), content);
  return directory;
}

const get = (where: string, accept = 'text/html') => fetch(running.url + where, { headers: { accept } });

test.each(['/', '/index.html', '/login', '/auth-verify?email=a@example.com', '/apps/1'])(
  'a browser gets the page at %s',
  async (where) => {
    const reply = await get(where);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^text\/html/);
    expect(reply.headers.get('cache-control')).toBe('no-cache');
    expect(await reply.text()).toBe(page);
  },
);

test.each([
  ['curl and monitors', { accept: '*/*' }],
  ['previews', { accept: 'text/*, image/png;q=0.5' }],
  ['letters of another case', { accept: 'Text/HTML' }],
])('%s get the page, too', async (_, headers) => {
  for (const where of ['/', '/login', '/apps/1?q=a.b']) {
    const reply = await fetch(running.url + where, { headers });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe(page);
    const head = await fetch(running.url + where, { headers, method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toMatch(/^text\/html/);
  }
});

/** Asks without an Accept field, which `fetch` always sends. */
async function getBare(target: string, method = 'GET') {
  const { hostname, port } = new URL(running.url);
  const asked = request({ hostname, port, path: target, method, agent: false });
  asked.end();
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: reply.statusCode, body: await text(reply) };
}

test('a request that accepts nothing in particular gets the page, and a call never does', async () => {
  expect(await getBare('/login')).toEqual({ status: 200, body: page });
  expect(await getBare('/login', 'HEAD')).toEqual({ status: 200, body: '' });
  expect(await getBare('http://vpn.example.net/login')).toEqual({ status: 200, body: page });
  for (const target of ['/api/none', '/%61pi/none', '/a%70i', 'http://vpn.example.net/api/none']) {
    expect(await getBare(target)).toMatchObject({ status: 404, body: expect.stringContaining('"code":404') });
  }
});

test('an address with a broken percent sign gets the page, which says that there is no such one', async () => {
  for (const target of ['/%', '/orders/%E0%A4%A', '/orders/%zz?q=100%'])
    expect(await getBare(target), target).toEqual({ status: 200, body: page });
  // A call is asked for as if they were meant, too.
  expect(await getBare('/api/orders/%E0%A4%A')).toMatchObject({
    status: 401,
    body: expect.stringContaining('"code":401'),
  });
});

test.each([
  ['/login', 'image/png'],
  ['/login', 'application/json'],
  ['/login', 'text/html;q=0'],
])('%s as %s is not there', async (where, accept) => {
  expect((await get(where, accept)).status).toBe(404);
});

test('a page is not there to be written', async () => {
  const reply = await fetch(`${running.url}/login`, { method: 'POST', headers: { accept: 'text/html' } });
  expect(reply.status).toBe(404);
});

test('pages may run and load what is the service’s own only', async () => {
  const { headers } = await get('/');
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'self'");
  expect(policy).toMatch(/script-src 'self'(;|$)/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

test('the worker that keeps the console is asked for again each time, and can be withdrawn', async () => {
  const kept = await get('/service-worker.js', '*/*');
  expect(await kept.text()).toBe('keeps');
  expect(kept.headers.get('cache-control')).toBe('no-cache');
  expect(kept.headers.get('content-security-policy')).toContain("worker-src 'self'");
  await using without = await startTestService({
    environment: { WAYMAKER_CONSOLE_DIR: root, WAYMAKER_CONSOLE_OFFLINE: '0' },
  });
  const withdrawn = await fetch(`${without.url}/service-worker.js`);
  expect(await withdrawn.text()).toBe('removes');
  expect(withdrawn.headers.get('content-type')).toContain('javascript');
  expect(withdrawn.headers.get('cache-control')).toBe('no-cache');
});

test('files with a hash in their names are kept for ever', async () => {
  const reply = await get('/assets/index-1a2b.js', '*/*');
  expect(reply.status).toBe(200);
  expect(reply.headers.get('cache-control')).toContain('immutable');
});

// While a new build is put in place, one process names files that another does not have yet.
test('nothing between browser and service may store that a file, or a page, is not there', async () => {
  for (const [where, accept] of [
    ['/assets/index-9z9z.js', '*/*'],
    ['/assets/gone/index-9z9z.css', 'text/css,*/*;q=0.1'],
    ['/service-worker.json', '*/*'],
    ['/login', 'image/png'],
  ] as const) {
    const reply = await get(where, accept);
    expect([reply.status, reply.headers.get('cache-control')], where).toEqual([404, 'no-store']);
  }
});

test('what the build has compressed is sent so to who takes it', async () => {
  const url = `${running.url}/assets/index-1a2b.js`;
  for (const [accepted, sent] of [
    ['gzip, br', 'br'],
    ['identity', null],
  ] as const) {
    const reply = await fetch(url, { headers: { 'accept-encoding': accepted } });
    expect(reply.headers.get('content-encoding')).toBe(sent);
    expect(reply.headers.get('content-type')).toContain('javascript');
    expect(reply.headers.get('cache-control')).toContain('immutable');
    // Nor by who asks: browsers would fetch a file again that a page has loaded as a module.
    expect(reply.headers.get('vary')).toBe('accept-encoding');
    expect(await reply.text()).toBe('export {};');
  }
});

describe('a page comes with the names of the files that it will need', () => {
  const linkOf = async (where: string, language: string) => {
    const headers = { accept: 'text/html', 'accept-language': language };
    const reply = await fetch(running.url + where, { headers });
    expect(reply.headers.get('vary')).toContain('accept-language');
    return reply.headers.get('link');
  };

  test.each([
    [
      '/',
      'en',
      [
        '</assets/account-3c4d.js>; rel=modulepreload',
        '</assets/en-7a8b.js>; rel=modulepreload',
        '</assets/en-0c1d.js>; rel=modulepreload',
      ],
    ],
    [
      '/login?next=%2F',
      'zh-TW, en;q=0.5',
      [
        '</assets/login-5e6f.js>; rel=modulepreload',
        '</assets/login-5e6f.css>; rel=preload; as=style; crossorigin',
        '</assets/zh-hant-1e2f.js>; rel=modulepreload',
      ],
    ],
    [
      '/LOGIN/',
      'zh-TW',
      [
        '</assets/login-5e6f.js>; rel=modulepreload',
        '</assets/login-5e6f.css>; rel=preload; as=style; crossorigin',
        '</assets/zh-hant-1e2f.js>; rel=modulepreload',
      ],
    ],
    ['/devices', 'zh-CN', ['</assets/zh-hans-9c0d.js>; rel=modulepreload']],
    [
      '/constructor',
      'fr',
      ['</assets/en-7a8b.js>; rel=modulepreload', '</assets/en-0c1d.js>; rel=modulepreload'],
    ],
  ])('%s in %s', async (where, language, links) => {
    expect(await linkOf(where, language)).toBe(links.join(', '));
  });

  test('but not where the build has no list of them', async () => {
    await using other = await startTestService({
      environment: { WAYMAKER_CONSOLE_DIR: await built({ 'index.html': page }) },
    });
    const reply = await fetch(other.url, { headers: { accept: 'text/html' } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('link')).toBeNull();
  });

  test.each(['{', '{"pages":{},"texts":{}}', '{"pages":{"/":{"files":["https://elsewhere.example/x.js"]}}}'])(
    'and the service does not start with the list %s',
    async (list) => {
      const WAYMAKER_CONSOLE_DIR = await built({ 'index.html': page, 'preload.json': list });
      await expect(startTestService({ environment: { WAYMAKER_CONSOLE_DIR } })).rejects.toThrow(
        'is no preload manifest',
      );
    },
  );
});

test.each([
  ['a script that is not there', '/assets/index-none.js', '*/*'],
  ['a call that is not there', '/api/none', 'text/html'],
  ['a hidden file', '/.secret', '*/*'],
  ['a file outside', '/..%2foutside.txt', '*/*'],
])('%s is not answered with the page', async (_, where, accept) => {
  const reply = await get(where, accept);
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expect(reply.status).toBeLessThan(500);
  expect(await reply.json()).toMatchObject({ code: reply.status, data: null });
});

test('without a built console there is only the API', async () => {
  await using bare = await startTestService();
  const reply = await fetch(bare.url, { headers: { accept: 'text/html' } });
  expect(reply.status).toBe(404);
});
