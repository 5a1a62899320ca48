import type { Socket } from 'node:net';

/** For one connection's sign-in at a time; it needs one, and another while the first one is closing. */
const maxOpen = 4;

/**
 * Maximum time without a byte in either direction, in milliseconds: a person may be waiting for a code and typing it.
 */
const idleMs = 5 * 60_000;

/** In both directions together. A sign-in takes some kilobytes. */
const maxBytes = 8 * 1024 * 1024;

/** The connections to the gateway over which clients sign in; the helper does not look into them. */
export interface GatewayStreams {
  /** Undefined if there are too many. */
  open(connect: () => Socket): Socket | undefined;
  closeAll(): void;
}

export function createGatewayStreams(): GatewayStreams {
  const open = new Set<Socket>();
  return {
    open(connect) {
      if (open.size >= maxOpen) return undefined;
      const socket = connect();
      open.add(socket);
      const close = () => void socket.destroy();
      // For its whole life: 'close' follows.
      socket.on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
      socket.setTimeout(idleMs, close);
      socket.on('data', () => {
        if (socket.bytesRead + socket.bytesWritten > maxBytes) close();
      });
      // The listener has started the flow, but nobody reads its bytes yet.
      socket.pause();
      return socket;
    },
    closeAll() {
      for (const socket of open) socket.destroy();
    },
  };
}
