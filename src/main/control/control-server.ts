import { createServer, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { createMessageConnection, ErrorCodes, ParameterStructures, ResponseError } from 'vscode-jsonrpc/node';
import * as z from 'zod/mini';
import {
  controlContract,
  controlError,
  controlMaxFrameBytes,
  controlProtocolVersion,
  type ControlContract,
} from '#shared/control/contract.ts';
import { HostRequestRefused, type EmitHostEvent } from '#shared/host/server.ts';
import { readPeerProcess } from '#node/os/peer-process.ts';
import { AnsweringWriter } from '#node/rpc/answering-writer.ts';
import { BoundedFrameReader } from '#node/rpc/frame-reader.ts';
import { turnsToHandle, waitToTheEnd } from '#node/wait-to-the-end.ts';
import type { ControlPlace } from './control-place.ts';
import { controlProof } from './control-proof.ts';
import { listenAtPlace } from './listen-at-place.ts';

export interface ControlServer {
  /** To all clients that have called `core.hello`. */
  emit: EmitHostEvent<ControlContract>;
  /** Whether a client is connected. */
  isUsed(): boolean;
  close(): void;
}

/** More programs than a user has; this stops one that forgets to close its connections. */
const maxClients = 64;
const helloMs = 5000;
/** The maximum of unsent data for a client, in bytes; a client that reads nothing is disconnected. */
const maxUnreadBytes = 4 * 1024 * 1024;

const frameLimits = {
  maxBodyBytes: controlMaxFrameBytes,
  frameTimeoutMs: 5000,
  maxUnanswered: 256,
  maxUnansweredBytes: 4 * controlMaxFrameBytes,
};

const greeting = z.tuple([controlContract.core.hello.input]);

/** Listens, and replaces whatever is at that path: the caller has the lock, so nobody uses it. */
export async function serveControl(options: {
  place: Pick<ControlPlace, 'socketPath' | 'key'>;
  platform: NodeJS.Platform;
  /** The control contract's requests, `core.hello` included. */
  host: { handle(channel: string, input: unknown): Promise<unknown> };
  log: Logger;
}): Promise<ControlServer> {
  const { platform, log } = options;
  const { socketPath } = options.place;
  const clients = new Set<Client>();
  const open = new Set<Socket>();

  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    const user = userOf(socket);
    if (!user || open.size >= maxClients) {
      log.warn('a program was refused at the control socket');
      socket.destroy();
      return;
    }
    open.add(socket);
    const client = serveClient(socket, { ...options, ...user }, () => clients.add(client));
    socket.once('close', () => {
      open.delete(socket);
      clients.delete(client);
    });
  });

  /** What is to be known about a program of this user; undefined for others. */
  function userOf(socket: Socket): { isNumberedAlike: boolean } | undefined {
    try {
      const peer = readPeerProcess(socket, platform);
      if (peer && peer.uid !== process.getuid?.()) return undefined;
      return { isNumberedAlike: peer?.sharesProcessIds ?? true };
    } catch (error) {
      log.error({ err: error }, 'who uses the control socket cannot be told');
      return undefined;
    }
  }

  await listenAtPlace(server, socketPath, platform);
  server.on('error', (error) => log.error({ err: error }, 'the control socket failed'));
  server.unref();

  return {
    emit(channel, payload) {
      for (const client of clients) client.send(channel, payload);
    },
    isUsed: () => open.size > 0,
    close() {
      server.close();
      for (const socket of open) socket.destroySoon();
    },
  };
}

interface Client {
  send(channel: string, payload: unknown): void;
}

function serveClient(
  socket: Socket,
  {
    place: { key },
    host,
    log,
    isNumberedAlike,
  }: Parameters<typeof serveControl>[0] & { isNumberedAlike: boolean },
  onGreeted: () => void,
): Client {
  const reader = new BoundedFrameReader(socket, frameLimits);
  const rpc = createMessageConnection(reader, new AnsweringWriter(socket, reader), undefined, {
    maxParallelism: 8,
  });
  let isGreeted = false;
  const endGreetingLimit = waitToTheEnd(helloMs, () => void socket.destroy(), turnsToHandle);

  async function answer(method: string, params: unknown): Promise<unknown> {
    if (method === 'core.hello') {
      const given = greeting.safeParse(params);
      // Newer clients may send other fields, so only the protocol version counts.
      if (!given.success || given.data[0].protocolVersion !== controlProtocolVersion) {
        throw new ResponseError(controlError.protocolVersion, 'another protocol version', {
          supported: [controlProtocolVersion],
        });
      }
      endGreetingLimit();
      isGreeted = true;
      onGreeted();
      const { nonce } = given.data[0];
      if (key === undefined || nonce === undefined) return await host.handle(method, given.data[0]);
      const reply = (await host.handle(method, given.data[0])) as object;
      return { ...reply, proof: controlProof(key, nonce) };
    } else if (!isGreeted) throw new ResponseError(controlError.helloFirst, 'hello first');
    // Here, the pid that it sends may belong to another process of the user.
    if (method === 'routedApps.admit' && !isNumberedAlike) return 'gone';
    return await host.handle(method, Array.isArray(params) ? params[0] : undefined);
  }

  rpc.onRequest(async (method: string, params: unknown) => {
    try {
      return (await answer(method, params)) ?? null;
    } catch (error) {
      if (error instanceof ResponseError) throw error;
      if (error instanceof HostRequestRefused)
        throw new ResponseError(ErrorCodes.InvalidParams, error.message.slice(0, 500));
      log.error({ err: error, method }, 'a request at the control socket failed');
      throw new ResponseError(ErrorCodes.InternalError, `${method} failed`);
    }
  });
  rpc.onError(() => socket.destroy());
  socket.once('close', () => {
    endGreetingLimit();
    rpc.dispose();
  });
  rpc.listen();
  return {
    send(channel, payload) {
      if (socket.writableLength > maxUnreadBytes) socket.destroy();
      else
        rpc.sendNotification(channel, ParameterStructures.byPosition, payload).catch(() => socket.destroy());
    },
  };
}
