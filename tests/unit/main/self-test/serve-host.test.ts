import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { serveHost } from '../../../../src/main/self-test/hosts/serve-host.ts';

async function serve() {
  const host = `127.78.${randomInt(256)}.${randomInt(1, 255)}`;
  const port = await freePort();
  const heard: string[] = [];
  const ends = await serveHost({ host, port, echoPort: port, place: 'outside', heard });
  onTestFinished(() => {
    for (const end of ends) end();
  });
  return { host, port, heard };
}

/** What comes back for these pieces, which are sent one after the other. */
async function ask({ host, port }: { host: string; port: number }, ...pieces: string[]): Promise<string> {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
  // An error comes before it, where the other end has let go.
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  await once(socket, 'connect');
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
  socket.end();
  await closed;
  return answer;
}

test('a host says by which way it was asked, and keeps what', async () => {
  const at = await serve();
  expect(await ask(at, 'tok', 'en-1\n')).toMatch(/^outside 127\./);
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  const answered = once(socket, 'message');
  socket.send('token-2', at.port, at.host);
  const [reply] = (await answered) as [Buffer];
  expect(reply.toString()).toBe('outside token-2');
  expect(at.heard).toEqual(['token-1', 'token-2']);
});

// Anybody on the network can ask.
test('whoever goes on after a line is heard once at most, and what is long is not heard at all', async () => {
  const at = await serve();
  const more = 'y'.repeat(200_000);
  await ask(at, 'token-1\n', more, more);
  await ask(at, more, '\n');
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  const answered = once(socket, 'message');
  socket.send('z'.repeat(2_000), at.port, at.host);
  socket.send('token-2', at.port, at.host);
  const [reply] = (await answered) as [Buffer];
  expect(reply.toString()).toBe('outside token-2');
  // What comes with the line is part of it.
  expect([['token-1', 'token-2'], ['token-2']]).toContainEqual(at.heard);
});
