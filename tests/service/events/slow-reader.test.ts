import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { eventStream } from '#shared/api/events.ts';
import { openEventStream } from '../../../src/service/events/event-stream.ts';

const beat = () => vi.advanceTimersByTime(eventStream.heartbeatSeconds * 1000);

/** A client that has asked for a stream. */
async function streamTo() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const [, output] = (await once(server, 'request')) as [unknown, ServerResponse];
  return {
    client,
    output,
    async [Symbol.asyncDispose]() {
      vi.useRealTimers();
      client.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a client that reads gets a heartbeat in time for every proxy', async () => {
  await using to = await streamTo();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const closed = vi.fn();
  openEventStream(to.output, closed);
  let received = '';
  to.client.on('data', (bytes) => (received += String(bytes)));
  await expect.poll(() => received).toContain('retry: 3000');
  for (let i = 1; i <= 5; i += 1) {
    beat();
    await expect.poll(() => received.split(':\n\n')).toHaveLength(i + 1);
  }
  expect(eventStream.heartbeatSeconds).toBeLessThanOrEqual(25);
  expect(closed).not.toHaveBeenCalled();
  to.client.destroy();
  await expect.poll(() => closed).toHaveBeenCalledOnce();
});

test('a client that reads nothing costs no memory, and is dropped', async () => {
  await using to = await streamTo();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const closed = vi.fn();
  const stream = openEventStream(to.output, closed);
  to.client.pause();
  // Until the kernel takes no more for it, and far beyond.
  for (let i = 0; i < 2_000_000 && !to.output.writableNeedDrain; i += 1) {
    stream.emit('devices');
    if (i % 100 === 0) await setImmediate();
  }
  expect(to.output.writableNeedDrain).toBe(true);
  const waiting = to.output.writableLength;
  for (let i = 0; i < 100_000; i += 1) stream.emit('entitlement');
  expect(to.output.writableLength).toBe(waiting);
  beat();
  await expect.poll(() => closed).toHaveBeenCalledOnce();
  expect(to.output.destroyed).toBe(true);
});
