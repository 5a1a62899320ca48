import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * Carries bytes both ways until both ends have said that they are done; one of them may be done long before the
 * other. An error of either end is passed on to the other one as a reset, so that what was cut off does not look
 * complete.
 */
export function joinSockets(one: Socket, other: Socket): void {
  const onEnd = (error: Error | null | undefined) => {
    if (!error) return;
    one.resetAndDestroy();
    other.resetAndDestroy();
  };
  pipeline(one, other, onEnd);
  pipeline(other, one, onEnd);
}
