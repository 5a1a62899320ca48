import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { posixHelper } from '../../../../src/main/cli/restore/posix/posix-helper.ts';

function socketPath(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-restore-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'helper.sock');
}

test.each(['linux', 'darwin'] as const)('a helper runs if its socket is answered: %s', async (platform) => {
  const socket = socketPath();
  const helper = posixHelper(socket, platform);
  expect(await helper.isRunning()).toBe(false);
  const server = createServer();
  server.listen(socket);
  await once(server, 'listening');
  expect(await helper.isRunning()).toBe(true);
  server.close();
  await once(server, 'close');
  expect(await helper.isRunning()).toBe(false);
});

test.runIf(process.platform === 'linux' || process.platform === 'darwin')(
  'the process that answers at the socket is ended',
  async () => {
    const socket = socketPath();
    const answers = "require('net').createServer().listen(process.argv[1], () => console.log('listening'))";
    const program = spawn(process.execPath, ['-e', answers, socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void program.kill('SIGKILL'));
    await once(program.stdout, 'data');
    const helper = posixHelper(socket, process.platform);
    expect(await helper.isRunning()).toBe(true);
    await helper.stop();
    expect(program.signalCode ?? program.exitCode).toBe('SIGTERM');
    expect(await helper.isRunning()).toBe(false);
  },
);
