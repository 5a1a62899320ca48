import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { pipeline } from 'node:stream';
import type { Machine } from '../machine/machine.ts';
import { endProcess, words } from '../runs/process.ts';

export interface PublishedPort extends AsyncDisposable {
  /** The port on this machine's loopback. */
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
}

/**
 * Makes a TCP port inside a machine reachable on this machine's loopback, without a network between them: Unix sockets
 * do not belong to a network namespace. Without a `port`, or with 0, a free one is used.
 */
export async function publishPort(
  machine: Machine,
  directory: string,
  inside: { host: string; port: number },
  port = 0,
): Promise<PublishedPort> {
  const socket = path.join(directory, `${randomUUID().slice(0, 8)}.sock`);
  const relay = await machine.spawnUntil(
    [
      ...words('setpriv --pdeathsig KILL --'),
      process.execPath,
      path.join(import.meta.dirname, 'unix-relay.ts'),
      socket,
      inside.host,
      String(inside.port),
    ],
    /relaying/,
  );
  const server = relayTo(() => connect({ path: socket, allowHalfOpen: true }));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const published = (server.address() as AddressInfo).port;
  return {
    port: published,
    url: `http://127.0.0.1:${published}`,
    async [Symbol.asyncDispose]() {
      await endProcess(relay);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server that relays every connection to a new one from `connectTo`. */
export function relayTo(connectTo: () => ReturnType<typeof connect>): Server {
  return createServer({ allowHalfOpen: true }, (near) => {
    const far = connectTo();
    // Either end may disconnect at any time; then the other one is closed, too.
    const end = () => {};
    pipeline(near, far, end);
    pipeline(far, near, end);
  });
}
