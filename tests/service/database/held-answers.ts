import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { newDirectory } from '../test-service.ts';

/** A way to PostgreSQL on which answers can be held back, as a busy machine does that reads them late. */
export interface HeldAnswers extends AsyncDisposable {
  /** The directory of its Unix socket. */
  socket: string;
  /** From now on, clients hear nothing. */
  hold(): void;
  /** How many connections wait for nothing but their client: the last message is ReadyForQuery. */
  answered(): number;
  /** Waits until the server has ended every connection, and gives each client all that was held, in one piece. */
  releaseEnded(): Promise<void>;
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html, "ReadyForQuery", outside of a transaction. */
const readyForQuery = Buffer.from('Z\0\0\0\u0005I', 'latin1');

const socketIn = (directory: string) => path.join(directory, '.s.PGSQL.5432');

export async function holdAnswers(postgresqlSocket: string): Promise<HeldAnswers> {
  let isHeld = false;
  const open = new Set<{ server: Socket; client: Socket; held: Buffer[] }>();
  const relay = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ path: socketIn(postgresqlSocket), allowHalfOpen: true });
    const one = { server, client, held: new Array<Buffer>() };
    open.add(one);
    client.pipe(server);
    server.on('data', (data) => {
      if (isHeld) one.held.push(data);
      else client.write(data);
    });
    server.on('end', () => isHeld || client.end());
    // Either end may be gone, which the other is told.
    server.on('error', () => client.destroy());
    client.on('error', () => server.destroy());
    client.on('close', () => {
      server.destroy();
      open.delete(one);
    });
  });
  const socket = await newDirectory();
  relay.listen(socketIn(socket));
  await once(relay, 'listening');
  return {
    socket,
    hold() {
      isHeld = true;
    },
    answered: () =>
      [...open].filter(({ held }) =>
        Buffer.concat(held).subarray(-readyForQuery.length).equals(readyForQuery),
      ).length,
    async releaseEnded() {
      for (const { server } of open) if (!server.readableEnded) await once(server, 'end');
      isHeld = false;
      for (const { client, held } of open) client.end(Buffer.concat(held.splice(0)));
    },
    async [Symbol.asyncDispose]() {
      for (const { client } of open) client.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}
