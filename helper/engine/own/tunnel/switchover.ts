import { waitToTheEnd } from '#node/wait-to-the-end.ts';

/**
 * What waits while a gateway goes over from one connection of a session to the next. What it still has to read of the
 * old one then gets lost, and so do answers on their way to it. ocserv makes another device for the new connection, and
 * until the old connection's process has ended, packets for the client go to its device, where nobody reads them.
 */

/** After so long without a packet, those that were on their way have probably come. */
const quietMs = 30;
/** Somebody who is sent packets all the time loses some of them whatever is waited for. */
const maxUntilQuietMs = 90;
/** A gateway may keep the old connection, for as long as this end does. */
const maxUntilEndMs = 500;
/** From the old connection's end to that of its device. */
const deviceEndsMs = 60;

/** Resolves when nothing has come for a while, or has not stopped coming. `heardAt`: of `performance.now()`. */
export async function untilQuiet(heardAt: () => number): Promise<void> {
  const since = performance.now();
  const quietAt = () => Math.min(Math.max(since, heardAt()) + quietMs, since + maxUntilQuietMs);
  for (let left = quietMs; left > 0; left = quietAt() - performance.now()) await wait(left).over;
}

/**
 * Waits until the gateway has let go of a connection that another one has replaced, by when that has `ended`; only
 * briefly with one that has kept others.
 */
export type LetGo = (ended: Promise<void>) => Promise<void>;

export function createLetGo(): LetGo {
  let keepsThem = false;
  return async (ended) => {
    const limit = wait(keepsThem ? deviceEndsMs : maxUntilEndMs);
    keepsThem = await Promise.race([ended.then(() => false), limit.over.then(() => true)]);
    limit.stop();
    if (!keepsThem) await wait(deviceEndsMs).over;
  };
}

function wait(milliseconds: number) {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  return { over, stop: waitToTheEnd(milliseconds, resolve) };
}
