import { chmod, mkdir, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import type { Log } from '../log.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import { mayCall, type CallerPolicy, type PeerCredentials } from './caller-policy.ts';
import { serveClient } from './client-connection.ts';

/** Connections at a time; one more is closed at once. */
const maxConnections = { all: 64, perUser: 16 } as const;

export interface HelperServerOptions {
  socketPath: string;
  policy: CallerPolicy;
  readCredentials(socket: Socket): PeerCredentials;
  tunnel: Tunnel;
  log: Log;
}

export interface HelperServer {
  close(): Promise<void>;
}

/** Listens on the socket, in place of whatever is there; see `expectNoOtherHelper`. */
export async function startHelperServer(options: HelperServerOptions): Promise<HelperServer> {
  const { socketPath, log } = options;
  const open = new Map<Socket, number>();

  const accept = (socket: Socket) => {
    // Without a listener an error on a socket would end the process; 'close' follows and cleans up.
    socket.on('error', () => undefined);
    let caller: PeerCredentials;
    try {
      caller = options.readCredentials(socket);
    } catch (error) {
      log.error('the caller cannot be told', error);
      socket.destroy();
      return;
    }
    const ofUser = [...open.values()].filter((uid) => uid === caller.uid).length;
    if (open.size >= maxConnections.all || ofUser >= maxConnections.perUser) {
      log.warn('too many connections', { uid: caller.uid });
      socket.destroy();
      return;
    }
    open.set(socket, caller.uid);
    socket.on('close', () => open.delete(socket));
    const refused = !mayCall(caller, options.policy);
    if (refused) log.warn('a caller was refused', { uid: caller.uid, pid: caller.pid });
    serveClient(socket, { tunnel: options.tunnel, log, uid: caller.uid, refused });
  };

  await mkdir(path.dirname(socketPath), { recursive: true, mode: 0o755 });
  await rm(socketPath, { force: true });
  const server = createServer(accept);
  server.on('error', (error) => log.error('the socket failed', error));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  // Everybody may connect, so that a refusal can be explained; who may call is checked at accept.
  await chmod(socketPath, 0o666);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open.keys()) socket.destroy();
      }),
  };
}

/** Rejects if another helper listens on the socket: two would undo each other's work. */
export async function expectNoOtherHelper(socketPath: string): Promise<void> {
  if (await isAnswered(socketPath)) throw new Error(`another helper listens on ${socketPath}`);
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
