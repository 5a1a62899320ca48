import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { fetchFromService, streamFromService } from '../../../src/main/http-fetch.ts';

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
