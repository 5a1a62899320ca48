import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { untilHandled } from '#node/wait-to-the-end.ts';
import { relay } from '../../../../helper/proxy/relay.ts';
import { createClientLab, readAll } from './client-lab.ts';

const destination = { host: { kind: 'name', name: 'example.test' }, port: 80 } as const;

/** A proxy that waits for so long for an end that is silent, with a client and the server that it relays to. */
async function startRelay({ halfOpenMs }: { halfOpenMs: number }) {
  const origin = createServer({ allowHalfOpen: true });
  const accepted = once(origin, 'connection') as Promise<[Socket]>;
  const ends: Socket[] = [];
  const lab = await createClientLab(origin, (client, opening, { open }) => {
    void open(destination).then((opened) => {
      opening.finish();
      if (!opened.ok) return;
      ends.push(client, opened.socket);
      relay(client, opened.socket, { halfOpenMs });
    });
  });
  const client = await lab.connect();
  const [server] = await accepted;
  server.on('error', () => undefined);
  /** Whether the proxy’s ends of both connections are closed: theirs tell nothing of a reset once they have seen an end. */
  const areClosed = () => ends.length === 2 && ends.every(({ closed }) => closed);
  /** Whether nothing is read from the server, because the client does not read. */
  const isStuck = async () => {
    const { bytesRead } = ends[1] ?? { bytesRead: 0 };
    await delay(200);
    await untilHandled();
    return bytesRead > 0 && ends[1]?.bytesRead === bytesRead && ends[1].isPaused();
  };
  return { lab, client, server, areClosed, isStuck };
}

test('a connection whose client has gone does not stay for a server that never says anything again', async () => {
  const { lab, client, server, areClosed } = await startRelay({ halfOpenMs: 50 });
  await using _ = lab;
  const ended = once(server.resume(), 'end');
  client.destroy();
  await ended;
  await expect.poll(areClosed).toBe(true);
});

test('a client that reads on only later gets everything from a server that has finished', async () => {
  const { lab, client, server } = await startRelay({ halfOpenMs: 50 });
  await using _ = lab;
  client.pause();
  const sent = 'x'.repeat(1_000_000);
  await new Promise<void>((resolve) => {
    server.end(sent, resolve);
  });
  await delay(500);
  client.resume();
  expect((await readAll(client)).length).toBe(sent.length);
});

test('a client that has sent everything, and reads on only later, gets everything', async () => {
  const halfOpenMs = 1500;
  const { lab, client, server } = await startRelay({ halfOpenMs });
  await using _ = lab;
  client.pause();
  const sent = Buffer.alloc(12_000_000, 'x');
  client.end('question');
  expect(await readAll(server)).toBe('question');
  server.end(sent);
  await delay(2 * halfOpenMs);
  client.resume();
  expect((await readAll(client)).length).toBe(sent.length);
});

test('a client that has gone after it was paused for long does not stay for a silent server either', async () => {
  const halfOpenMs = 50;
  const { lab, client, server, areClosed, isStuck } = await startRelay({ halfOpenMs });
  await using _ = lab;
  client.pause();
  let left = 12_000_000;
  server.resume().write(Buffer.alloc(left, 'x'));
  await expect.poll(isStuck).toBe(true);
  client.end('question');
  await delay(10 * halfOpenMs);
  expect(areClosed(), 'positive control').toBe(false);
  client.on('error', () => undefined);
  client.on('data', (bytes) => {
    left -= bytes.length;
    if (left === 0) client.destroy();
  });
  client.resume();
  await expect.poll(areClosed).toBe(true);
});

test('a server can answer after its client has sent everything', async () => {
  const { lab, client, server } = await startRelay({ halfOpenMs: 60_000 });
  await using _ = lab;
  const answered = readAll(client);
  client.end('question');
  expect(await readAll(server)).toBe('question');
  server.end('answer');
  expect(await answered).toBe('answer');
});
