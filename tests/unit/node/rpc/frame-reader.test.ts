import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BoundedFrameReader } from '#node/rpc/frame-reader.ts';

/** Requests that nobody has answered are limited by their number and by their length; these, by their length alone. */
const limits = { maxBodyBytes: 1000, frameTimeoutMs: 60_000, maxUnanswered: 100, maxUnansweredBytes: 2000 };

function request(id: number, length: number): string {
  const empty = JSON.stringify({ jsonrpc: '2.0', id, method: 'm', params: [''] });
  const body = empty.replace('""', `"${'x'.repeat(length - empty.length)}"`);
  return `Content-Length: ${body.length}\r\n\r\n${body}`;
}

async function start(changes: Partial<typeof limits> = {}) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    for (const end of [sender, socket]) end.destroy();
    server.close();
  });
  const reader = new BoundedFrameReader(socket, { ...limits, ...changes });
  const errors: string[] = [];
  reader.onError(({ message }) => errors.push(message));
  let read = 0;
  reader.listen(() => {
    read += 1;
  });
  /** How many were read after these have come, and what was refused. */
  const afterSending = async (...texts: string[]) => {
    for (const text of texts) {
      const before = socket.bytesRead;
      sender.write(text);
      while (socket.bytesRead < before + text.length) await once(socket, 'data');
    }
    return { read, errors };
  };
  return { reader, sender, afterSending };
}

test('the requests that wait for answers have a limit for their total size', async () => {
  const { afterSending } = await start();
  expect(await afterSending(request(1, 1000), request(2, 1000))).toEqual({ read: 2, errors: [] });
  expect(await afterSending(request(3, 100))).toEqual({ read: 2, errors: ['too many requests at once'] });
});

test('answered requests no longer count once none waits', async () => {
  const { reader, afterSending } = await start();
  await afterSending(request(1, 1000), request(2, 1000));
  reader.answered();
  reader.answered();
  expect(await afterSending(request(3, 1000))).toEqual({ read: 3, errors: [] });
});

test('a frame that is announced longer than the limit is refused before it comes', async () => {
  const { afterSending } = await start();
  const [header] = request(1, 1001).split('x');
  expect(await afterSending(header ?? '')).toEqual({ read: 0, errors: ['a frame of 1001 bytes'] });
});

test('the rest of a frame that has come while this process stood still is read, one that has not come is not waited for', async () => {
  const { sender, afterSending } = await start({ frameTimeoutMs: 200 });
  const whole = request(1, 500);
  await afterSending(whole.slice(0, 100));
  sender.write(whole.slice(100));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  await vi.waitFor(async () => expect(await afterSending()).toEqual({ read: 1, errors: [] }));
  const late = await afterSending(whole.slice(0, 100));
  await vi.waitFor(() => expect(late.errors).toEqual(['a frame takes too long']));
});
