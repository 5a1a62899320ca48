import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** Carries bytes both ways, unread, until both ends are done or one of them breaks, which ends the other one too. */
export function carryBytes(client: Socket, stream: Socket): void {
  if (client.destroyed || stream.destroyed) {
    client.destroy();
    stream.destroy();
    return;
  }
  // The pipelines' come to those that are there for its messages.
  client.setMaxListeners(20);
  pipeline(client, stream, () => undefined);
  pipeline(stream, client, () => undefined);
}
