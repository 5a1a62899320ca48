import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { serveControl, type ControlServer } from '../../../../src/main/control/control-server.ts';
import { coreHolder, takeCore } from '../../../../src/main/control/core-lock.ts';
import { takeCoreFromDaemon } from '../../../../src/main/control/take-core.ts';
import { takeCoreLock } from '../../../../src/node/os/process-lock.ts';

/** Windows has pipes instead of these files. */
const here = test.runIf(process.platform !== 'win32');

const log = pino({ level: 'silent' });
const { platform } = process;

afterEach(() => void vi.restoreAllMocks());

function makePlace() {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-core-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return {
    socketPath: path.join(folder, 'core.sock'),
    lockPath: path.join(folder, 'core.lock'),
    profile: folder,
    profileLockPath: path.join(folder, 'core-host.lock'),
  };
}

here(
  'a daemon that has only just begun is asked to yield as soon as it listens, and is not killed',
  async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const place = makePlace();
    const daemons = await takeCore(place, platform);
    let server: ControlServer | undefined;
    onTestFinished(() => server?.close());
    const taking = takeCoreFromDaemon({ place, platform, version: '1.0.0', log });
    await delay(200);
    server = await serveControl({
      place,
      platform,
      log,
      host: {
        handle(channel) {
          if (channel !== 'core.yield') {
            const hello = { protocolVersion: 1, version: '1.0.0', kind: 'daemon', language: 'en' };
            return Promise.resolve({ ...hello, pid: process.pid });
          }
          setImmediate(() => daemons?.release());
          return Promise.resolve(true);
        },
      },
    });
    const lock = await taking;
    lock.release();
    expect(kill).not.toHaveBeenCalled();
  },
);

here('whoever had a lock that is free again is not taken for the process that has the core', async () => {
  const place = makePlace();
  // As a daemon that was killed has left it; its number may be any other program's by now.
  writeFileSync(place.lockPath, '4194303');
  expect(coreHolder(place)).toBeUndefined();
  const ofProfile = await takeCoreLock(place.profileLockPath, platform);
  expect(coreHolder(place)).toBe(process.pid);
  const ofFolder = await takeCoreLock(place.lockPath, platform);
  expect(ofFolder, 'asking keeps nobody out').toBeDefined();
  expect(coreHolder(place)).toBe(process.pid);
  ofFolder?.release();
  ofProfile?.release();
});
