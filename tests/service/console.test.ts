import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDirectory, startTestService, type TestService } from './test-service.ts';

const page = '<!doctype html><title>Waymaker</title>';
let running: TestService;
beforeAll(async () => {
  const directory = await newDirectory();
  const root = path.join(directory, 'renderer');
  await mkdir(path.join(root, 'assets'), { recursive: true });
  await writeFile(path.join(root, 'index.html'), page);
  await writeFile(path.join(root, 'assets', 'index-1a2b.js'), 'export {};');
  await writeFile(path.join(root, '.secret'), 'secret');
  await writeFile(path.join(directory, 'outside.txt'), 'secret');
  running = await startTestService({ environment: { WAYMAKER_CONSOLE_DIR: root } });
});
afterAll(() => running[Symbol.asyncDispose]());

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

test('pages may run and load what is the service’s own only', async () => {
  const { headers } = await get('/');
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'self'");
  expect(policy).toMatch(/script-src 'self'(;|$)/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

test('files with a hash in their names are kept for ever', async () => {
  const reply = await get('/assets/index-1a2b.js', '*/*');
  expect(reply.status).toBe(200);
  expect(reply.headers.get('cache-control')).toContain('immutable');
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
