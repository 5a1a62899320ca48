import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openGatewayTls } from '#node/anyconnect/gateway-tls.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Lets everything arrive that was sent. */
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a gateway that answers TLS byte by byte is given up, however long it goes on', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const gateway = { host: 'gw.example', port: (server.address() as AddressInfo).port };
  let result: Awaited<ReturnType<typeof openGatewayTls>> | undefined;
  const trust = { pins: ['pin-sha256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='] };
  const opening = openGatewayTls(gateway, '127.0.0.1', trust, new AbortController().signal).then((one) => {
    result = one;
  });
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  // The beginning of a record that has 16,384 bytes, and then as much of it as keeps it waiting.
  sockets[0]?.write(Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00, 0x02, 0x00, 0x3f, 0xfc, 0x03]));
  const isOpening = () => result === undefined;
  let seconds = 0;
  for (; seconds < 600 && isOpening(); seconds += 5) {
    for (const socket of sockets) if (!socket.destroyed) socket.write(Buffer.from([0x03]));
    await turns();
    await vi.advanceTimersByTimeAsync(5_000);
    await turns();
  }
  expect(result).toMatchObject({ ok: false, failure: 'gateway-unreachable', detail: 'no answer' });
  // Whoever is slow gets more than whoever says nothing.
  expect(seconds).toBeGreaterThan(20);
  await opening;
});
