import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withTimeout } from '../with-timeout.ts';
import { openControlConnection } from './control-connection.ts';
import type { ControlPlace } from './control-place.ts';
import type { CoreLock } from '#node/os/process-lock.ts';
import { coreHolder, takeCore } from './core-lock.ts';

/** A daemon closes within milliseconds; one that does not answer is killed. */
const yieldMs = 5000;
/** How long it may take until it listens, in milliseconds: at a login, it starts at the same time. */
const startMs = 15_000;
const pauseMs = 20;

/** Takes the core for the desktop app: asks a daemon that has it to yield, and kills it if it does not. */
export async function takeCoreFromDaemon(options: {
  place: ControlPlace;
  platform: NodeJS.Platform;
  version: string;
  log: Logger;
}): Promise<CoreLock> {
  const { place, platform, version, log } = options;
  const take = () => takeCore(place, platform);
  const lock = await take();
  if (lock) return lock;
  let giveUpAt = performance.now() + startMs;
  for (let isAsked = false; ;) {
    if (!isAsked) {
      const answer = await withTimeout(askToYield(place, version), yieldMs, 'late');
      isAsked = answer !== 'absent';
      // One that listens and has not answered in that time gets no more.
      if (isAsked) giveUpAt = performance.now() + (answer === 'late' ? 0 : yieldMs);
    }
    const now = await take();
    if (now) return now;
    if (performance.now() > giveUpAt) break;
    await delay(pauseMs);
  }
  const pid = coreHolder(place);
  log.warn({ pid }, 'the daemon does not yield and is ended');
  if (pid === undefined) throw new Error('another process has the core');
  process.kill(pid, 'SIGKILL');
  for (let tries = 0; tries < yieldMs / pauseMs; tries += 1) {
    const now = await take();
    if (now) return now;
    await delay(pauseMs);
  }
  throw new Error('another process has the core');
}

/** `absent`: nobody listens, or not yet. */
async function askToYield(place: ControlPlace, version: string): Promise<'asked' | 'absent'> {
  const connection = await openControlConnection({
    place,
    client: { name: 'waymaker-desktop', version },
  });
  if (typeof connection === 'string') return connection === 'absent' ? 'absent' : 'asked';
  await connection.client.core.yield().catch(() => false);
  connection.close();
  return 'asked';
}
