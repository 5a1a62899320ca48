import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../../helper/log.ts';
import { serveClient, type ClientOptions } from '../../../helper/rpc/client-connection.ts';
import { helperProtocolVersion } from '../../../src/shared/helper/protocol.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Only what a greeting asks for. */
const tunnel = {
  supported: () => ({ modes: [] }),
  engines: () => [],
  clients: { attach: () => undefined, detach: () => undefined },
} as unknown as ClientOptions['tunnel'];

async function serve() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [there] = await accepted;
  socket.on('error', () => undefined);
  if (socket.connecting) await once(socket, 'connect');
  onTestFinished(() => {
    socket.destroy();
    there.destroy();
    server.close();
  });
  const log = createLog(() => undefined);
  serveClient(there, {
    tunnel,
    caller: { user: '1000', isAllowed: true, isAdministrator: false, pid: 1, sharesProcessIds: true },
    lists: { forget: () => undefined } as ClientOptions['lists'],
    warn: () => undefined,
    logMemory: {} as ClientOptions['logMemory'],
    sealedSecrets: {} as ClientOptions['sealedSecrets'],
    log,
  });
  const outcome = Promise.race([
    once(socket, 'data').then(([bytes]) =>
      (bytes as Buffer).includes('result') ? 'answered' : String(bytes),
    ),
    once(socket, 'close').then(() => 'let go'),
  ]);
  return { socket, outcome };
}

const greeting = {
  jsonrpc: '2.0',
  id: 1,
  method: 'hello',
  params: { protocolVersion: helperProtocolVersion, client: { name: 'test', version: '1.0.0' } },
};

test('a client whose greeting was there in time is not let go by a helper that stood still', async () => {
  const { socket, outcome } = await serve();
  const body = JSON.stringify(greeting);
  // From here, Node.js looks at its timers first, and then reads.
  await new Promise(setImmediate);
  socket.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  // Nothing of this process runs meanwhile, whereas the kernel, which a busy machine may keep waiting, goes on.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  vi.advanceTimersByTime(5000);
  expect(await outcome).toBe('answered');
});

test('a client that does not greet is let go', async () => {
  const { outcome } = await serve();
  vi.advanceTimersByTime(5000);
  expect(await outcome).toBe('let go');
});
