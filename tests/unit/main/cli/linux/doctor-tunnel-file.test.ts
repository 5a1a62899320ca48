import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tunnelFileProblem } from '../../../../../src/main/cli/doctor/linux/tunnel-file.ts';

test.runIf(process.platform === 'linux')(
  'a file for tunnels that no driver answers at is told from one that is missing',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-tun-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'tun');
    expect(tunnelFileProblem(file)).toBe('missing');
    await writeFile(file, '');
    expect(tunnelFileProblem(file), 'positive control').toBeUndefined();
    // Nothing opens a socket's file either (open(2), ENXIO); a device without a driver answers so, or with ENODEV.
    const server = createServer().listen(path.join(folder, 'socket'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    expect(tunnelFileProblem(path.join(folder, 'socket'))).toBe('no-driver');
  },
);
