import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { EngineOptions } from '../../../../helper/engine/engine-port.ts';
import { launchOwn } from '../../../../helper/engine/own/launch-own.ts';
import { createLog } from '../../../../helper/log.ts';
import type { ProgramProcess } from '../../../../helper/system/ports/engine-host-port.ts';

const withoutDescriptors = path.join(import.meta.dirname, 'support/without-descriptors.ts');

test.skipIf(process.platform === 'win32')(
  'an engine that is launched without a free file descriptor fails, and does not end the helper',
  async () => {
    const run = promisify(execFile);
    const { stdout } = await run('/bin/sh', [
      '-c',
      'ulimit -n 64 && exec "$0" "$1"',
      process.execPath,
      withoutDescriptors,
    ]);
    expect(stdout).toBe('not launched, and the device is closed\n');
  },
);

/** A program that cannot be started, as `spawn` returns it. */
function createFailure(code: string): ProgramProcess {
  const events = new EventEmitter();
  process.nextTick(() => events.emit('error', Object.assign(new Error(`spawn ${code}`), { code })));
  const stream = () => new PassThrough();
  return Object.assign(events, { stdio: [null, stream(), stream(), stream(), null], kill: () => false });
}

test.each([
  ['EAGAIN', 'failed'],
  ['ENOENT', 'absent'],
] as const)('an engine that cannot be started because of %s has %s', async (code, end) => {
  const { ended } = launchOwn({
    device: { open: () => ({ inherited: 0, attach: () => undefined, close: () => undefined }) },
    ownProgram: () => ({ file: 'engine', args: [], environment: {}, start: () => createFailure(code) }),
    session: { cookie: 'webvpn=secret', certificatePin: 'pin-sha256:AAAA' },
    log: createLog(() => undefined),
  } as unknown as EngineOptions);
  expect(await ended).toBe(end);
});
