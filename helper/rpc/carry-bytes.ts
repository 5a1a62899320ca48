import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** Carries bytes in both directions, unread, until both ends have finished, or one breaks, which ends the other. */
export function carryBytes(client: Socket, stream: Socket): void {
  if (client.destroyed || stream.destroyed) {
    client.destroy();
    stream.destroy();
    return;
  }
  // The pipelines add listeners to those for its messages.
  client.setMaxListeners(20);
  pipeline(client, stream, () => undefined);
  pipeline(stream, client, () => undefined);
}
