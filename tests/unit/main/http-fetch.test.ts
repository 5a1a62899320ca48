import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createServiceFetch } from '../../../src/main/http-fetch.ts';

const { call: fetchFromService, short: fetchShort, stream: streamFromService } = createServiceFetch();

test('no call uses the connection of another: it can be from before a tunnel, or through one that ended', async () => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const headers = { accept: 'application/json' };
  for (let call = 0; call < 3; call += 1) {
    const response = await fetchFromService(url, { method: 'GET', headers });
    expect(await response.text()).toBe('{}');
  }
  expect(requests.map((request) => request.headers.accept)).toEqual(Array(3).fill(headers.accept));
  expect(new Set(requests.map(({ socket }) => socket)).size).toBe(3);
  const closed = once(server, 'close');
  server.close();
  await closed;
});

test('a stream comes in pieces, ends with its signal, and follows no redirect', async () => {
  const replies: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/elsewhere') response.writeHead(302, { location: '/' }).end();
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('one');
    replies.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const end = new AbortController();
  const request = { method: 'GET', headers: { accept: 'text/event-stream' }, signal: end.signal as never };

  const stream = await streamFromService(url, request);
  expect(stream.status).toBe(200);
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  const reader = stream.body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await read()).toBe('one');
  replies[0]?.write('two');
  expect(await read()).toBe('two');

  const elsewhere = await streamFromService(`${url}elsewhere`, request);
  expect(elsewhere.status).toBe(302);

  const next = read();
  end.abort();
  await expect(next).rejects.toThrow('abort');
  const closed = once(server, 'close');
  server.close();
  await closed;
});

test('a large compressed reply arrives whole, though its connection is closed', async () => {
  // Hardly compressible, so that it takes longer to decompress than to arrive.
  const lists = randomBytes(600 * 1024).toString('hex');
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  const encoded = { br: brotliCompressSync(lists, { params }), gzip: gzipSync(lists) };
  const server = createServer((request, response) => {
    const encoding = request.url === '/gzip' ? 'gzip' : 'br';
    const body = encoded[encoding];
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const request = { method: 'GET', headers: {} };
  for (const encoding of ['br', 'gzip', 'br', 'gzip']) {
    const reply = await fetchFromService(url + encoding, request);
    expect((await reply.text()) === lists).toBe(true);
  }
  await expect(fetchShort(url, request, 64 * 1024)).rejects.toThrow('more than 65536 bytes');
  expect((await fetchShort(url, request, lists.length)).text === lists).toBe(true);
  const closed = once(server, 'close');
  server.close();
  await closed;
});

test('a reply is decompressed however its coding is written, and one with a coding that nobody knows is read as it is', async () => {
  const server = createServer((request, response) => {
    const coding = decodeURIComponent((request.url ?? '').slice(1));
    const body = /br/i.test(coding) ? brotliCompressSync('{}') : gzipSync('{}');
    response.writeHead(200, { 'content-encoding': coding }).end(/zip|br/i.test(coding) ? body : '{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const request = { method: 'GET', headers: {} };
  const read = async (coding: string) =>
    await (await fetchFromService(url + encodeURIComponent(coding), request)).text();
  for (const coding of ['gzip', 'GZIP', 'GZip', 'x-gzip', 'X-Gzip', 'br', 'BR', 'identity', 'constructor'])
    expect(await read(coding), coding).toBe('{}');
  expect((await fetchShort(`${url}X-GZIP`, request, 64)).text).toBe('{}');
  const closed = once(server, 'close');
  server.close();
  await closed;
});

const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n';

test('a call sends its body with any method, follows no redirect, and fails where the reply breaks off', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(`${request.method} ${body}`);
      if (request.url === '/redirect') response.writeHead(307, { location: '/' }).end();
      else if (request.url === '/unchanged') response.writeHead(304, { 'content-encoding': 'gzip' }).end();
      else if (request.url === '/upgrade') request.socket.end(switching);
      else if (request.url === '/half') {
        response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
      } else response.writeHead(200, { etag: '"one"' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const method of ['POST', 'PATCH', 'DELETE']) {
    const reply = await fetchFromService(url, { method, headers: {}, body: `{"é":"${method}"}` });
    expect([reply.status, reply.headers?.get('etag'), await reply.text()]).toEqual([200, '"one"', '{}']);
  }
  expect(bodies).toEqual(['POST {"é":"POST"}', 'PATCH {"é":"PATCH"}', 'DELETE {"é":"DELETE"}']);
  const request = { method: 'GET', headers: {} };
  await expect(fetchFromService(`${url}redirect`, request)).rejects.toThrow('redirect');
  const half = await fetchFromService(`${url}half`, request);
  await expect(half.text()).rejects.toThrow();
  expect(await (await fetchFromService(`${url}unchanged`, request)).text()).toBe('');
  const signal = AbortSignal.timeout(200) as never;
  await expect(streamFromService(`${url}upgrade`, { ...request, signal })).rejects.toThrow('aborted');
  const closed = once(server, 'close');
  server.close();
  await closed;
});
