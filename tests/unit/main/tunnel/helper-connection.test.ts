import { createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openHelperConnection } from '../../../../src/main/tunnel/helper-connection.ts';
import { createTestLog } from '../support/log.ts';

function socketPath(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-helper-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'helper.sock');
}

const open = (socket: string, isUnapproved: boolean) =>
  openHelperConnection({
    socketPath: socket,
    version: '0.1.0',
    onState: () => undefined,
    log: createTestLog().log,
    isUnapproved: () => Promise.resolve(isUnapproved),
  });

test('a helper that nobody has allowed to start is told from one that is not there', async () => {
  expect(await open(socketPath(), true)).toBe('helper-unapproved');
  expect(await open(socketPath(), false)).toBe('helper-absent');
});

test('a helper that listens, and ends in the middle of its greeting, has been allowed to start', async () => {
  const helper = socketPath();
  const server = createServer((socket) => socket.destroy()).listen(helper);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(await open(helper, true)).toBe('helper-absent');
});
