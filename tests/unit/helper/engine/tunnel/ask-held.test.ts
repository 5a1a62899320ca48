import { duplexPair } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SecureConnection } from '../../../../../helper/engine/own/tunnel/tunnel-port.ts';
import { startTunnel } from '../support/test-gateway.ts';

/** A tunnel that begins on a connection which was held ready, and may have ended since. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const patienceMs = 400;

/** `far`: the other end of what was held. */
async function start() {
  const [socket, far] = duplexPair();
  // As it is handed over.
  socket.pause();
  far.on('error', () => undefined);
  const asked: string[] = [];
  far.on('data', (bytes: Buffer) => asked.push(bytes.toString()));
  const gateway = startTunnel({
    held: {
      socket,
      address: '192.0.2.1',
      exportKey: () => Buffer.alloc(32),
      heldPatienceMs: patienceMs,
    },
  });
  await vi.advanceTimersByTimeAsync(0);
  return { gateway, far, socket, asked };
}

test('if the held connection is answered, no other one is opened', async () => {
  const { gateway, far, asked } = await start();
  expect(asked.join('')).toContain('CONNECT ');
  far.write(`HTTP/1.1 200 CONNECTED\r\n${gateway.headers.join('\r\n')}\r\n\r\n`);
  await vi.advanceTimersByTimeAsync(2 * patienceMs);
  expect(gateway.mtus).toHaveLength(1);
  expect(gateway.requests).toEqual([]);
});

test.each([
  // denoland/deno pull request 31932: in the moment in which it is used.
  ['it has just been closed', 50, (far: NodeJS.WritableStream) => void far.end()],
  // oven-sh/bun issue 31894, JuliaWeb/HTTP.jl issue 1331: forgotten without a word.
  ['nobody answers', patienceMs + 50, () => undefined],
])('if %s, another one is, and the request is made again there', async (_why, withinMs, happens) => {
  const { gateway, far, socket } = await start();
  happens(far);
  await vi.advanceTimersByTimeAsync(withinMs);
  expect(gateway.requests).toHaveLength(1);
  expect(gateway.mtus).toHaveLength(1);
  expect(socket.destroyed).toBe(true);
});

test('if it is answered while the other one is being opened, it is used', async () => {
  const { promise, resolve } = Promise.withResolvers<SecureConnection>();
  const [socket, far] = duplexPair();
  const [otherSocket, otherFar] = duplexPair();
  far.on('data', () => undefined);
  otherFar.on('data', () => expect.fail('the other one is asked, too'));
  let opened = 0;
  const gateway = startTunnel({
    options: {
      openTls() {
        opened += 1;
        const held = {
          socket,
          address: '192.0.2.1',
          exportKey: () => Buffer.alloc(32),
          heldPatienceMs: patienceMs,
        };
        return opened === 1 ? Promise.resolve(held) : promise;
      },
    },
  });
  await vi.advanceTimersByTimeAsync(patienceMs + 10);
  expect(opened).toBe(2);
  far.write(`HTTP/1.1 200 CONNECTED\r\n${gateway.headers.join('\r\n')}\r\n\r\n`);
  await vi.advanceTimersByTimeAsync(10);
  resolve({ socket: otherSocket, address: '192.0.2.1', exportKey: () => Buffer.alloc(32) });
  await vi.advanceTimersByTimeAsync(10);
  expect(gateway.mtus).toHaveLength(1);
  expect(otherSocket.writableEnded).toBe(true);
});
