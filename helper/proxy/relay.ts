import type { Socket } from 'node:net';

/**
 * Relays bytes in both directions until both ends have finished; one may finish long before the other. An error at
 * either end resets the other one, so that a truncated transfer does not look complete.
 */
export function relay(one: Socket, other: Socket): void {
  // Before 'close', which would close the other end normally.
  one.once('error', () => other.resetAndDestroy());
  other.once('error', () => one.resetAndDestroy());
  // One end has already disconnected, so nothing can be relayed.
  if (one.destroyed || other.destroyed) {
    one.destroy();
    other.destroy();
    return;
  }
  carry(one, other);
  carry(other, one);
}

/**
 * One piece at a time, and the next one after all other connections had a turn. libuv reads up to 32 pieces of 64 KiB
 * from a socket before it looks at another (its src/unix/stream.c, uv__read), so with hundreds of downloads, a new
 * client would wait for a dozen seconds.
 */
function carry(from: Socket, to: Socket): void {
  const resume = () => void from.resume();
  const resumeLater = () => void setImmediate(resume);
  from.on('data', (bytes) => {
    from.pause();
    to.write(bytes, resumeLater);
  });
  // An unread socket still reports its end if there was nothing left to read (Node's net, onStreamRead).
  if (from.readableEnded) to.end();
  else from.once('end', () => void to.end());
  from.once('close', () => {
    // Otherwise each end has received everything that the other one sent, or is about to.
    if (!from.readableEnded || !from.writableFinished) to.destroy();
  });
  from.resume();
}
