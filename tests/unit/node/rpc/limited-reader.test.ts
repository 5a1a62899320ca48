import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { LimitedReader } from '#node/rpc/limited-reader.ts';

const maxBytes = 4096;

/** Sends bytes, in order, to a connection that is read with the limit. */
async function afterSending(texts: readonly string[]): Promise<{ messages: number; isOpen: boolean }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sender.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    for (const end of [sender, socket]) end.destroy();
    server.close();
  });
  let messages = 0;
  new LimitedReader(socket, maxBytes).listen(() => {
    messages += 1;
  });
  for (const text of texts) {
    const before = socket.bytesRead;
    sender.write(text);
    while (!socket.destroyed && socket.bytesRead < before + text.length) await once(socket, 'data');
  }
  // Messages are handed on in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  return { messages, isOpen: !socket.destroyed };
}

const bodyOf = (length: number) => {
  const empty = JSON.stringify({ jsonrpc: '2.0', method: 'note', params: [''] });
  return empty.replace('""', `"${'x'.repeat(length - empty.length)}"`);
};
const header = (length: number) => `Content-Length: ${length}\r\n\r\n`;

test('a message that does not end within the limit ends its connection', async () => {
  const endless = [header(1e9), ...Array<string>(4).fill('x'.repeat(maxBytes / 4))];
  expect(await afterSending(endless)).toEqual({ messages: 0, isOpen: false });
});

test('a connection carries any number of messages that are each within the limit', async () => {
  const length = maxBytes / 2;
  const frames = Array<string>(8).fill(header(length) + bodyOf(length));
  expect(await afterSending(frames)).toEqual({ messages: 8, isOpen: true });
});
