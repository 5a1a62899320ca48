import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/service/log.ts';

/** What is logged of requests to an application with these routes and files. */
async function logOf(requests: readonly { method?: 'GET' | 'POST' | 'DELETE'; url: string }[]) {
  const output = new PassThrough();
  const app = fastify({ loggerInstance: createLogger('info', output) });
  app.post('/api/license-keys/:key/consume', async () => ({}));
  app.delete('/api/group/members/:loginId', async () => ({}));
  app.get('/api/orders', async () => ({}));
  app.get('/*', async () => 'a file');
  app.setNotFoundHandler((_, reply) => reply.code(404).send({}));
  for (const request of requests) await app.inject({ method: 'GET', ...request });
  await app.close();
  output.end();
  return text(output);
}

test('a request is logged by its path, without the query', async () => {
  const log = await logOf([{ url: '/api/orders?token=secret' }, { url: '/assets/index-1.js' }]);
  expect(log).toContain('"path":"/api/orders"');
  expect(log).toContain('"path":"/assets/index-1.js"');
  expect(log).not.toContain('secret');
});

test('what a path is about, such as a person or a key, is not logged', async () => {
  const log = await logOf([
    { method: 'POST', url: '/api/license-keys/ABCD-EFGH-JKLM/consume' },
    { method: 'DELETE', url: '/api/group/members/person%40example.com' },
  ]);
  expect(log).toContain('"path":"/api/license-keys/:key/consume"');
  expect(log).toContain('"path":"/api/group/members/:loginId"');
  expect(log).not.toMatch(/ABCD|person/);
});

test('a path that the API does not have is logged without what it is about', async () => {
  const log = await logOf([
    { method: 'DELETE', url: '/api/license-keys/ABCD-EFGH-JKLM' },
    { url: '/api/license-keys/ABCD-EFGH-JKLM/consume' },
    { method: 'POST', url: '/api/group/members/person%40example.com' },
  ]);
  expect(log).toContain('"path":"/api/license-keys/*"');
  expect(log).toContain('"path":"/api/group/*"');
  expect(log).not.toMatch(/ABCD|person/);
});
