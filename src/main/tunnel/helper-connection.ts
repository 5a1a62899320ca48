import { connect, type Socket } from 'node:net';
import {
  createMessageConnection,
  ErrorCodes,
  ParameterStructures,
  ResponseError,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-jsonrpc/node';
import type { Logger } from 'pino';
import { $ZodError } from 'zod/v4/core';
import {
  helperError,
  helperEvents,
  helperMethods,
  helperProtocolVersion,
  type HelperMethodName,
  type HelperParams,
  type HelperResult,
} from '#shared/helper/protocol.ts';
import type { InvalidCause, TunnelState } from '#shared/tunnel/state.ts';
import { withTimeout } from '../with-timeout.ts';
import { isHelperUnapproved } from './helper-approval.ts';
import { installationProblem } from './installed-core.ts';

/** A connection to the helper after hello. */
export interface HelperConnection extends OpenConnection {
  /** This helper's capabilities, e.g. `routing.global`. */
  readonly capabilities: readonly string[];
  /** What it can carry tunnels with, the usual one first; undefined of an earlier helper. */
  readonly engines: HelperResult<'hello'>['engines'];
}

interface OpenConnection {
  /** Rejects with the helper's `ResponseError`, or if the connection ends first. */
  call<Name extends HelperMethodName>(name: Name, params: HelperParams<Name>): Promise<HelperResult<Name>>;
  /** Resolves when the connection is closed by either side. */
  readonly closed: Promise<void>;
  /** The raw socket, as soon as no request is pending, for the bytes that the helper carries on it from then on. */
  release(): Socket;
  close(): void;
}

export const usualHelloMs = 5000;

/** Connects and says hello, or returns why no helper can be reached. */
export async function openHelperConnection(options: {
  socketPath: string;
  version: string;
  onState(state: TunnelState): void;
  log: Logger;
  /** How long the answer to hello may take, in milliseconds; a helper that hangs never answers. */
  helloMs?: number;
  /** Ends the wait for that answer. */
  signal?: AbortSignal;
  /** Why nobody listens, as the system has it. */
  isUnapproved?: () => Promise<boolean>;
}): Promise<HelperConnection | InvalidCause> {
  const { isUnapproved = isHelperUnapproved, helloMs = usualHelloMs } = options;
  if (await installationProblem()) return 'installation-refused';
  const socket = await openSocket(options.socketPath);
  // It may have refused to run with files that have changed since they were last looked at.
  if (socket === 'helper-absent' && (await installationProblem({ again: true })))
    return 'installation-refused';
  if (socket === 'helper-absent' && (await isUnapproved())) return 'helper-unapproved';
  if (typeof socket === 'string') return socket;
  const connection = talk(socket, (state) => options.onState(state), options.log);
  const params = {
    protocolVersion: helperProtocolVersion,
    client: { name: 'waymaker-desktop', version: options.version },
  };
  const close = () => connection.close();
  options.signal?.addEventListener('abort', close, { once: true });
  const answer = await withTimeout<HelperResult<'hello'> | InvalidCause, InvalidCause>(
    connection.call('hello', params).catch(helloRefused),
    helloMs,
    'helper-absent',
  );
  options.signal?.removeEventListener('abort', close);
  const isOurs = typeof answer !== 'string' && answer.protocolVersion === helperProtocolVersion;
  if (isOurs) {
    const { capabilities, engines } = answer;
    return { ...connection, capabilities, engines };
  }
  connection.close();
  return typeof answer === 'string' ? answer : 'helper-incompatible';
}

function openSocket(socketPath: string): Promise<Socket | InvalidCause> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const denied = error.code === 'EACCES' || error.code === 'EPERM';
      resolve(denied ? 'permission-denied' : 'helper-absent');
    });
  });
}

function talk(socket: Socket, onState: (state: TunnelState) => void, log: Logger): OpenConnection {
  const rpc = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  const { promise: closed, resolve: ended } = Promise.withResolvers<void>();
  const end = () => {
    socket.destroy();
    // Rejects calls that still wait for a reply; closing the connection alone would leave them pending.
    rpc.dispose();
    ended();
  };
  socket.once('close', end);
  rpc.onError(([error]) => {
    log.warn({ err: error }, 'helper connection failed');
    socket.destroy();
  });
  rpc.onNotification('stateChanged', (params: unknown) => {
    const state = helperEvents.stateChanged.safeParse(params);
    if (state.success) onState(state.data);
    else log.error({ err: state.error }, 'the helper told a state outside the protocol');
  });
  rpc.listen();
  return {
    closed,
    async call(name, params) {
      const result: unknown = await rpc.sendRequest(name, ParameterStructures.byName, params);
      return helperMethods[name].result.parse(result) as HelperResult<typeof name>;
    },
    release() {
      // Disposing of the connection would close the socket, too.
      socket.removeAllListeners('data');
      socket.pause();
      return socket;
    },
    close: () => socket.destroy(),
  };
}

/** What a failed hello says about the helper. */
function helloRefused(error: unknown): InvalidCause {
  // The reply does not belong to this protocol.
  if (error instanceof $ZodError) return 'helper-incompatible';
  if (!(error instanceof ResponseError)) return 'helper-absent';
  switch (error.code) {
    case helperError.permissionDenied:
      return 'permission-denied';
    case helperError.protocolVersion:
    case ErrorCodes.MethodNotFound:
    case ErrorCodes.InvalidParams:
      return 'helper-incompatible';
    default:
      // The connection ended before a reply (PendingResponseRejected).
      return 'helper-absent';
  }
}
