import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * Carries bytes both ways until both ends have said that they are done; one of them may be done long before the
 * other. An error of either end is passed on to the other one as a reset, so that what was cut off does not look
 * complete.
 */
export function relay(one: Socket, other: Socket): void {
  // Before the pipelines, which close the other end in the ordinary way.
  one.once('error', () => other.resetAndDestroy());
  other.once('error', () => one.resetAndDestroy());
  // An end that has gone while the two were brought together cannot be piped to any more.
  if (one.destroyed || other.destroyed) {
    one.destroy();
    other.destroy();
    return;
  }
  pipeline(one, other, () => undefined);
  pipeline(other, one, () => undefined);
}
