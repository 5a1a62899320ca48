import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { serveControl } from '../../../../src/main/control/control-server.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const hello = { protocolVersion: 1, client: { name: 'test', version: '1.0.0' } };

async function serve() {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-greeting-'));
  const socketPath = path.join(folder, 'core.sock');
  const server = await serveControl({
    place: { socketPath },
    platform: process.platform,
    host: { handle: () => Promise.resolve({ protocolVersion: 1 }) },
    log: pino({ level: 'silent' }),
  });
  const socket = connect(socketPath);
  onTestFinished(() => {
    socket.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  while (!server.isUsed()) await new Promise(setImmediate);
  const outcome = Promise.race([
    once(socket, 'data').then(() => 'answered'),
    once(socket, 'close').then(() => 'let go'),
  ]);
  return { socket, outcome };
}

test.runIf(process.platform !== 'win32')(
  'a program whose greeting was there in time is not let go by a process that stood still',
  async () => {
    const { socket, outcome } = await serve();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'core.hello', params: [hello] });
    // From here, Node.js looks at its timers first, and then reads.
    await new Promise(setImmediate);
    socket.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    vi.advanceTimersByTime(5000);
    expect(await outcome).toBe('answered');
  },
);

test.runIf(process.platform !== 'win32')('a program that does not greet is let go', async () => {
  const { outcome } = await serve();
  vi.advanceTimersByTime(5000);
  expect(await outcome).toBe('let go');
});

test.runIf(process.platform !== 'win32')(
  'a program that announces a larger message than the limit is let go before it sends it',
  async () => {
    const { socket, outcome } = await serve();
    socket.write('Content-Length: 1000000000\r\n\r\n');
    expect(await outcome).toBe('let go');
  },
);
