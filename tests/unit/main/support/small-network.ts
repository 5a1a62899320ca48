import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a port of this machine on which large packets are lost, as far as the first message shows it. */
export interface SmallNetwork {
  readonly port: number;
  /** The length of the first message of each connection, in bytes, in the order in which they came. */
  readonly firstMessages: number[];
  /** From now on: the longest first message that passes; undefined: any. */
  passes(maxBytes: number | undefined): void;
  close(): void;
}

/** What a box on the way says to a message that it cannot read: a fatal alert of TLS, decode_error (RFC 8446 §6.2). */
const decodeError = Buffer.from([21, 3, 3, 0, 2, 2, 50]);

/** `answer`: what comes back for a message that is too long. */
export async function startSmallNetwork(
  target: number,
  { maxBytes, answer = 'silence' }: { maxBytes?: number; answer?: 'silence' | 'reset' | 'alert' } = {},
): Promise<SmallNetwork> {
  const sockets = new Set<Socket>();
  const firstMessages: number[] = [];
  let max = maxBytes;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    client.once('data', (first: Buffer) => {
      firstMessages.push(first.length);
      if (max !== undefined && first.length > max) {
        if (answer === 'reset') client.resetAndDestroy();
        if (answer === 'alert') client.end(decodeError);
        return;
      }
      const upstream = connect(target, '127.0.0.1');
      keep(upstream);
      upstream.write(first);
      client.pipe(upstream).pipe(client);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    firstMessages,
    passes(next) {
      max = next;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
