import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineOptions } from '../../../../../helper/engine/engine-port.ts';
import { launchOwn } from '../../../../../helper/engine/own/launch-own.ts';
import { createLog } from '../../../../../helper/log.ts';

/** Launches an engine while this process, whose limit is low, has no file descriptor left, and says what came of it. */

const device = openSync('/dev/null', 'r+');
let isOpen = true;
const options = {
  device: {
    open: () => ({
      inherited: device,
      attach: () => undefined,
      close: () => {
        isOpen = false;
      },
    }),
  },
  ownProgram: () => ({ file: process.execPath, args: ['--version'], environment: {} }),
  session: { cookie: 'webvpn=secret', certificatePin: 'pin-sha256:AAAA' },
  log: createLog(() => undefined),
} as unknown as EngineOptions;

const taken: number[] = [];
let outcome = 'launched';
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  try {
    launchOwn(options);
  } catch {
    outcome = 'not launched';
  }
}
for (const descriptor of taken) closeSync(descriptor);
await delay(100);
console.log(`${outcome}, and the device is ${isOpen ? 'open' : 'closed'}`);
