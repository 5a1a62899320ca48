import type { Socket } from 'node:net';
import { maxOtherAddresses } from '#shared/helper/protocol.ts';

/**
 * For one connection's sign-in at a time. It needs one at each address at which the gateway is looked for, since those
 * that are silent are waited for beside the next ones (`src/node/anyconnect/address-race.ts`), and another one beside
 * each of them where the first message of TLS does not pass (`src/node/tls/first-message.ts`).
 */
export const maxGatewayStreams = 2 * (1 + maxOtherAddresses);

/**
 * Maximum time without a byte in either direction, in milliseconds: a person may be waiting for a code and typing it.
 */
const idleMs = 5 * 60_000;

/** In both directions together. A sign-in takes some kilobytes. */
const maxBytes = 8 * 1024 * 1024;

export interface GatewayStream {
  socket: Socket;
  /** Rejects with the system's error if the connection cannot be made. */
  made: Promise<void>;
}

/** The connections to the gateway over which clients sign in; the helper does not look into them. */
export interface GatewayStreams {
  /** Undefined if there are too many. Throws if it cannot even be tried. */
  open(connect: () => Socket): GatewayStream | undefined;
  closeAll(): void;
}

export function createGatewayStreams(): GatewayStreams {
  const open = new Set<Socket>();
  return {
    open(connect) {
      if (open.size >= maxGatewayStreams) return undefined;
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
      return { socket, made: untilMade(socket) };
    },
    closeAll() {
      for (const socket of open) socket.destroy();
    },
  };
}

/**
 * Node takes a socket of an open descriptor for connected. A write of nothing waits until it is, or fails as the
 * connection does.
 */
function untilMade(socket: Socket): Promise<void> {
  const made = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
    socket.write('', (error) => (error ? reject(error) : resolve()));
  });
  // Whoever opened it may have gone.
  made.catch(() => undefined);
  return made;
}
