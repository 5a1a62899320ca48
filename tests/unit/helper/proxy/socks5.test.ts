import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { serveSocks5 } from '../../../../helper/proxy/socks5.ts';
import { createClientLab, readAll, readUntil, type ClientLab } from './client-lab.ts';

let lab: ClientLab | undefined;

afterEach(async () => {
  await lab?.[Symbol.asyncDispose]();
});

async function labOf(onConnection: (socket: Socket) => void, server?: Server): Promise<ClientLab> {
  const origin = server ?? createServer({ allowHalfOpen: true });
  origin.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  lab = await createClientLab(origin, (client, opening, { open }) => void serveSocks5(client, opening, open));
  return lab;
}

const greeting = Buffer.from([5, 1, 0]);
const request = Buffer.from([5, 1, 0, 3, 6, ...Buffer.from('a.test'), 0, 80]);
const accepted = '\x05\x00';
const succeeded = '\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00';
const echo = (socket: Socket) => void socket.pipe(socket);

test('a request is read one byte at a time, and data goes both ways afterwards', async () => {
  const client = await (await labOf(echo)).connect();
  client.setNoDelay(true);
  const answers = readUntil(client, 'hello');
  for (const byte of [...greeting, ...request, ...Buffer.from('hello')]) {
    client.write(Buffer.from([byte]));
    await delay(1);
  }
  expect(await answers).toBe(`${accepted}${succeeded}hello`);
  expect(lab?.asked).toEqual([{ host: { kind: 'name', name: 'a.test' }, port: 80 }]);
});

test('a request is read all at once, with the data behind it', async () => {
  const client = await (await labOf(echo)).connect();
  client.end(Buffer.concat([greeting, request, Buffer.from('hello')]));
  expect(await readAll(client)).toBe(`${accepted}${succeeded}hello`);
});

test.each([
  ['forbidden', 2],
  ['network-unreachable', 3],
  ['name-not-found', 4],
  ['host-unreachable', 4],
  ['timed-out', 4],
  ['connection-refused', 5],
  ['failed', 1],
] as const)('%s is reply %i', async (failure, reply) => {
  const client = await (await labOf(echo)).connect();
  if (lab) lab.answer = failure;
  client.write(Buffer.concat([greeting, request]));
  const refused = `${accepted}\x05${String.fromCharCode(reply)}`;
  expect(await readAll(client)).toBe(`${refused}\x00\x01\x00\x00\x00\x00\x00\x00`);
});

test('a client that wants to sign in is told that it cannot', async () => {
  const client = await (await labOf(echo)).connect();
  client.write(Buffer.from([5, 1, 2]));
  expect(await readAll(client)).toBe('\x05\xff');
});

test.each([['nothing'], ['half a greeting', 5, 3], ['half a request', 5, 1, 0, 5, 1, 0, 3, 9]])(
  'a client that ends after %s is closed',
  async (_what, ...sent) => {
    const client = await (await labOf(echo)).connect();
    const closed = once(client, 'close');
    client.resume();
    client.end(Buffer.from(sent as number[]));
    await closed;
    expect(lab?.asked).toEqual([]);
  },
);

test('each end may be done before the other', async () => {
  // Answers only when the client has said that it is done.
  const client = await (
    await labOf((socket) => {
      let length = 0;
      socket.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      socket.on('end', () => void delay(20).then(() => socket.end(`got ${length}`)));
    })
  ).connect();
  client.end(Buffer.concat([greeting, request, Buffer.alloc(3_000_000)]));
  expect(await readAll(client)).toBe(`${accepted}${succeeded}got 3000000`);

  const other = await (
    await labOf((socket) => {
      socket.end('done');
      void readAll(socket).then((text) => received.resolve(text));
    })
  ).connect();
  const received = Promise.withResolvers<string>();
  other.write(Buffer.concat([greeting, request]));
  expect(await readAll(other)).toBe(`${accepted}${succeeded}done`);
  other.end('still here');
  expect(await received.promise).toBe('still here');
});

test('a client that does not read holds the destination back', async () => {
  let written = 0;
  const client = await (
    await labOf((socket) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const send = () => {
        while (written < 256 && !socket.destroyed) {
          written += 1;
          if (!socket.write(chunk)) return;
        }
        socket.end();
      };
      socket.on('drain', send);
      send();
    })
  ).connect();
  client.write(Buffer.concat([greeting, request]));
  await readUntil(client, succeeded);
  client.pause();
  await delay(500);
  expect(written).toBeLessThan(64);
  let length = 0;
  client.on('data', (chunk: Buffer) => {
    length += chunk.length;
  });
  client.resume();
  await once(client, 'end');
  expect(length).toBeGreaterThan(255 * 1024 * 1024);
});

test('an error of one end is an error for the other', async () => {
  const reset = Promise.withResolvers<Socket>();
  const client = await (await labOf((socket) => reset.resolve(socket))).connect();
  client.write(Buffer.concat([greeting, request]));
  await readUntil(client, succeeded);
  const failed = new Promise((resolve) => client.once('error', resolve));
  (await reset.promise).resetAndDestroy();
  expect(await failed).toMatchObject({ code: 'ECONNRESET' });

  const ended = Promise.withResolvers<unknown>();
  const other = await (await labOf((socket) => void socket.once('error', ended.resolve).resume())).connect();
  other.write(Buffer.concat([greeting, request]));
  await readUntil(other, succeeded);
  other.resetAndDestroy();
  expect(await ended.promise).toMatchObject({ code: 'ECONNRESET' });
});
