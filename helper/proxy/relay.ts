import type { Socket } from 'node:net';

/**
 * Carries bytes both ways until both ends have said that they are done; one of them may be done long before the
 * other. An error of either end is passed on to the other one as a reset, so that what was cut off does not look
 * complete.
 */
export function relay(one: Socket, other: Socket): void {
  // Before 'close', which closes the other end in the ordinary way.
  one.once('error', () => other.resetAndDestroy());
  other.once('error', () => one.resetAndDestroy());
  // An end that has gone while the two were brought together cannot be carried to any more.
  if (one.destroyed || other.destroyed) {
    one.destroy();
    other.destroy();
    return;
  }
  carry(one, other);
  carry(other, one);
}

/**
 * One piece at a time, and the next one when all others had their turn. libuv reads as many as 32 pieces of 64 KiB of a
 * socket before it looks at another (its src/unix/stream.c, uv__read), and a client that comes while there are hundreds
 * of downloads would wait for a dozen seconds.
 */
function carry(from: Socket, to: Socket): void {
  const resume = () => void from.resume();
  const resumeLater = () => void setImmediate(resume);
  from.on('data', (bytes) => {
    from.pause();
    to.write(bytes, resumeLater);
  });
  // A socket that nobody reads still says that it has ended, if there was nothing left to read (Node's net, onStreamRead).
  if (from.readableEnded) to.end();
  else from.once('end', () => void to.end());
  from.once('close', () => {
    // Else each end has got all that the other one sent, or is about to.
    if (!from.readableEnded || !from.writableFinished) to.destroy();
  });
  from.resume();
}
