import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Destination } from '../../../../helper/proxy/destination.ts';
import type { Opened, OpenFailure } from '../../../../helper/proxy/open-destination.ts';
import { startOpeningDeadline, type OpeningDeadline } from '../../../../helper/proxy/opening-deadline.ts';

/** Both ends of the part of the proxy under test, on this machine's loopback. */
export interface ClientLab extends AsyncDisposable {
  /** Destinations that were asked for, in order. */
  readonly asked: Destination[];
  /** What to say to them: the origin, or that it cannot be reached. */
  answer: 'origin' | OpenFailure;
  readonly open: (destination: Destination) => Promise<Opened>;
  /** A client that the code under test has got. */
  connect(): Promise<Socket>;
}

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** `serve` is given each client and a way to open destinations, all of which are `origin`. */
export async function createClientLab(
  origin: Server,
  serve: (client: Socket, opening: OpeningDeadline, lab: ClientLab) => void,
): Promise<ClientLab> {
  const sockets: Socket[] = [];
  const originPort = await listen(origin);
  origin.on('connection', (socket: Socket) => sockets.push(socket));
  const lab: ClientLab = {
    asked: [],
    answer: 'origin',
    async open(destination) {
      lab.asked.push(destination);
      if (lab.answer !== 'origin') return { ok: false, failure: lab.answer };
      const socket = connect({ port: originPort, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      return { ok: true, socket };
    },
    async connect() {
      const client = connect({ port: await proxyPort, host: '127.0.0.1', allowHalfOpen: true });
      client.on('error', () => undefined);
      sockets.push(client);
      await once(client, 'connect');
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([origin, proxy].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => undefined);
    sockets.push(client);
    serve(client, startOpeningDeadline(client), lab);
  });
  const proxyPort = listen(proxy);
  await proxyPort;
  return lab;
}

/** Everything that comes until the other end is done. */
export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'end');
  return Buffer.concat(chunks).toString('latin1');
}

/** What comes until it has that text. */
export function readUntil(socket: Socket, wanted: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!text.includes(wanted)) return;
      socket.off('data', onData);
      resolve(text);
    };
    socket.on('data', onData);
    socket.once('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
  });
}
