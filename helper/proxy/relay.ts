import type { Socket } from 'node:net';

/**
 * How long a server may be silent after its client has finished, in milliseconds. A client that has closed its socket
 * looks like one that has only sent everything, and if nobody writes to it any more, that would never be found out.
 * Routers forget such a connection after four minutes (RFC 5382, REQ-5).
 */
const usualHalfOpenMs = 5 * 60_000;

/**
 * Relays bytes in both directions until both ends have finished; one may finish long before the other. An error at
 * either end resets the other one, so that a truncated transfer does not look complete.
 */
export function relay(client: Socket, server: Socket, { halfOpenMs = usualHalfOpenMs } = {}): void {
  // Before 'close', which would close the other end normally.
  client.once('error', () => server.resetAndDestroy());
  server.once('error', () => client.resetAndDestroy());
  // One end has already disconnected, so nothing can be relayed.
  if (client.destroyed || server.destroyed) {
    client.destroy();
    server.destroy();
    return;
  }
  // Not the other way round: a client that is silent then may have much to read, and will once its user goes on.
  carry(client, server, () => {
    server.on('timeout', () => {
      // It waits for the client to read, and may be silent after that.
      if (server.isPaused()) server.setTimeout(halfOpenMs);
      else server.resetAndDestroy();
    });
    server.setTimeout(halfOpenMs);
  });
  carry(server, client);
}

/**
 * One piece at a time, and the next one after all other connections had a turn. libuv reads up to 32 pieces of 64 KiB
 * from a socket before it looks at another (its src/unix/stream.c, uv__read), so with hundreds of downloads, a new
 * client would wait for a dozen seconds.
 */
function carry(from: Socket, to: Socket, onEnd?: () => void): void {
  const resume = () => void from.resume();
  const resumeLater = () => void setImmediate(resume);
  from.on('data', (bytes) => {
    from.pause();
    to.write(bytes, resumeLater);
  });
  const finish = () => {
    to.end();
    onEnd?.();
  };
  // An unread socket still reports its end if there was nothing left to read (Node's net, onStreamRead).
  if (from.readableEnded) finish();
  else from.once('end', finish);
  from.once('close', () => {
    // Otherwise each end has received everything that the other one sent, or is about to.
    if (!from.readableEnded || !from.writableFinished) to.destroy();
  });
  from.resume();
}
