import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  createMessageConnection,
  ParameterStructures,
  ResponseError,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-jsonrpc/node';
import {
  controlContract,
  controlError,
  controlProtocolVersion,
  type ControlClient,
  type ControlHelloReply,
} from '#shared/control/contract.ts';
import { createHostClient } from '#shared/host/client.ts';
import { withTimeout } from '../with-timeout.ts';
import type { ControlPlace } from './control-place.ts';
import { isControlProof } from './control-proof.ts';

/** A connection to the process that runs the core. */
export interface ControlConnection {
  readonly core: ControlHelloReply;
  readonly client: ControlClient;
  /** Resolves when the connection is closed by either side. */
  readonly closed: Promise<void>;
  close(): void;
}

/**
 * `absent`: no process runs the core, or it does not answer, or another user's answers in its place; `incompatible`: it
 * has another version.
 */
export type NoCore = 'absent' | 'incompatible';

/** The process may be busy with something that the user has started. */
const helloMs = 10_000;

const nonceBytes = 16;

export async function openControlConnection({
  place: { socketPath, key },
  client: whoAsks,
}: {
  place: Pick<ControlPlace, 'socketPath' | 'key'>;
  client: { name: string; version: string };
}): Promise<ControlConnection | NoCore> {
  const socket = await openSocket(socketPath);
  if (!socket) return 'absent';
  const rpc = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  const { promise: closed, resolve: ended } = Promise.withResolvers<void>();
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  socket.once('close', () => {
    // Rejects requests that still wait for a reply.
    rpc.dispose();
    ended();
  });
  rpc.onError(() => socket.destroy());
  rpc.onNotification((channel: string, params: unknown) => {
    const [payload] = Array.isArray(params) ? (params as unknown[]) : [];
    for (const listener of listeners.get(channel) ?? []) listener(payload);
  });
  rpc.listen();

  const client = createHostClient(controlContract, {
    async request(channel, input) {
      if (input === undefined) return await rpc.sendRequest<unknown>(channel);
      return await rpc.sendRequest<unknown>(channel, ParameterStructures.byPosition, input);
    },
    subscribe(channel, listener) {
      const all = listeners.get(channel) ?? new Set();
      listeners.set(channel, all.add(listener));
      return () => void all.delete(listener);
    },
  });
  const nonce = randomBytes(nonceBytes).toString('hex');
  const hello = {
    protocolVersion: controlProtocolVersion,
    client: whoAsks,
    ...(key !== undefined && { nonce }),
  };
  const answer = await withTimeout<ControlHelloReply | NoCore, NoCore>(
    client.core.hello(hello).catch(whyNot),
    helloMs,
    'absent',
  );
  const isOther =
    key !== undefined && typeof answer !== 'string' && !isControlProof(key, nonce, answer.proof);
  const core = isOther ? 'absent' : answer;
  if (typeof core !== 'string') return { core, client, closed, close: () => socket.destroy() };
  socket.destroy();
  return core;
}

const whyNot = (error: unknown): NoCore =>
  error instanceof ResponseError && error.code === controlError.protocolVersion ? 'incompatible' : 'absent';

function openSocket(socketPath: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}
