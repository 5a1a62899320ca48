import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { fetchFromService } from '../../../src/main/http-fetch.ts';

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
