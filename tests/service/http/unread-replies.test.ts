import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory, newEmail, signedIn, startTestService } from '../test-service.ts';

const clients = 24;

/** More than a kernel takes for somebody who reads nothing. */
async function largeRouteLists(): Promise<string> {
  const directory = await newDirectory();
  const sites = Array.from({ length: 300_000 }, (_, i) => `site-${i}.example.com\n`);
  await writeFile(path.join(directory, 'route-domains.txt'), sites.join(''));
  return directory;
}

/** The service's ends of the connections on which it has been asked since, of both its servers (Node.js, "HTTP"). */
function askedConnections(): { ends: Set<Socket> } & Disposable {
  const ends = new Set<Socket>();
  const onRequest = (message: unknown) => void ends.add((message as { socket: Socket }).socket);
  const channel = 'http.server.request.start';
  subscribe(channel, onRequest);
  return { ends, [Symbol.dispose]: () => void unsubscribe(channel, onRequest) };
}

const openFiles = async () => (await readdir('/proc/self/fd')).length;

test('a client that asks for a large answer and reads nothing is cut off, and costs no memory', async () => {
  const socket = path.join(await newDirectory(), 'service.sock');
  const environment = { WAYMAKER_SERVICE_SOCKET: socket, WAYMAKER_ROUTE_LISTS: await largeRouteLists() };
  await using running = await startTestService({ environment });
  const device = await signedIn(running, newEmail());
  const authorization = `Basic ${btoa(`${device.deviceId}:${device.token}`)}`;
  const headers = { authorization, 'accept-encoding': 'identity' };
  const list = await fetch(`${running.url}/api/route/pac`, { headers });
  const bytes = (await list.arrayBuffer()).byteLength;
  const places: NetConnectOpts[] = [
    { port: Number(new URL(running.url).port), host: '127.0.0.1' },
    { path: socket },
  ];

  const filesBefore = await openFiles();
  const memoryBefore = process.memoryUsage();
  await using open = new AsyncDisposableStack();
  using asked = askedConnections();
  const asking = Array.from({ length: clients }, async (_, i) => {
    const client = open.adopt(connect(places[i % 2]!), (one) => void one.destroy());
    client.on('error', () => undefined);
    const lines = Object.entries({ host: 'here', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    client.write(`GET /api/route/pac HTTP/1.1\r\n${lines.join('')}\r\n`);
    // The answer has begun; nothing takes what was read of it so far.
    await once(client, 'readable');
  });
  await Promise.all(asking);
  const stalled = [...asked.ends];
  expect(stalled).toHaveLength(clients);
  const health = async () => (await fetch(`${running.url}/api/health`)).status;
  expect(await health()).toBe(204);
  const { external } = process.memoryUsage();
  expect(external - memoryBefore.external).toBeLessThan((clients * bytes) / 4);
  const { timeout } = running.service.http.server;
  expect(timeout).toBeGreaterThan(0);
  for (const end of stalled) {
    expect(end.timeout).toBe(timeout);
    // The same limit, only sooner.
    end.setTimeout(50);
  }
  // The clients' own ends, and a few of the calls here.
  await expect.poll(openFiles).toBeLessThan(filesBefore + clients + 10);
  expect(await health()).toBe(204);
});
