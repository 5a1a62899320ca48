import type { Socket } from 'node:net';
import { createMessageConnection, ErrorCodes, ResponseError, type Message } from 'vscode-jsonrpc/node';
import type * as z from 'zod/mini';
import {
  helperError,
  helperMaxFrameBytes,
  helperMethods,
  helperProtocolVersion,
  type HelperMethodName,
  type HelperParams,
  type HelperResult,
} from '#shared/helper/protocol.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import type { Log } from '../log.ts';
import type { LogMemory } from '../log-memory.ts';
import type { SealedSecrets } from '../system/sealed-secrets.ts';
import { NoSuchProcess } from '../system/ports/program-groups-port.ts';
import type { Caller } from '../system/ports/caller-identity-port.ts';
import type { Client } from '../tunnel/attached-clients.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import { helperCapabilities, helperVersion } from '../version.ts';
import { carryBytes } from './carry-bytes.ts';
import type { WarnOfCaller } from './caller-log.ts';
import { AnsweringWriter } from '#node/rpc/answering-writer.ts';
import { BoundedFrameReader } from '#node/rpc/frame-reader.ts';
import { turnsToHandle, waitToTheEnd } from '#node/wait-to-the-end.ts';
import type { StoredLists } from './stored-lists.ts';

/** How long a client may take for hello, and for any frame to arrive, in milliseconds. */
const callerLimitMs = 5_000;

/** The maximum number of pending requests per client; the app has a handful. */
const maxUnanswered = 256;

/** The maximum from a caller who only gets a refusal, in bytes. */
const maxRefusedBytes = 4096;

/** The maximum of unsent answers and events, in bytes; a client that reads nothing is disconnected. */
const maxUnreadBytes = 4 * 1024 * 1024;

export interface ClientOptions {
  tunnel: Tunnel;
  /** A caller who may not use the helper gets a refusal as the answer to the first request, and is disconnected. */
  caller: Caller;
  /** The lists of this client. */
  lists: StoredLists;
  warn: WarnOfCaller;
  logMemory: LogMemory;
  sealedSecrets: SealedSecrets;
  log: Log;
}

/** The methods that everybody may call; all others are only for the connection's owner and administrators. */
const open: ReadonlySet<HelperMethodName> = new Set([
  'hello',
  'subscribe',
  'snapshot',
  'statistics',
  'readLog',
  'seal',
  'unseal',
]);

type Handlers = {
  [Name in HelperMethodName]: (
    params: HelperParams<Name>,
  ) => HelperResult<Name> | Promise<HelperResult<Name>>;
};

/** Serves one client until its socket closes. */
export function serveClient(socket: Socket, options: ClientOptions): void {
  const { tunnel, caller, lists, log } = options;
  const isRefused = !caller.isAllowed;
  const reader = new BoundedFrameReader(socket, {
    maxBodyBytes: isRefused ? maxRefusedBytes : helperMaxFrameBytes,
    frameTimeoutMs: callerLimitMs,
    maxUnanswered,
    maxUnansweredBytes: 2 * helperMaxFrameBytes,
  });
  const writer = new AnswerWriter(socket, reader, isRefused);
  const connection = createMessageConnection(reader, writer, undefined, {
    maxParallelism: 8,
  });
  const client: Client = { user: caller.user, isAdministrator: caller.isAdministrator };
  let handshakeDone = false;
  let unsubscribe: (() => void) | undefined;
  const close = () => void socket.destroy();
  const endGreetingLimit = waitToTheEnd(callerLimitMs, close, turnsToHandle);

  const capabilities = () => helperCapabilities(tunnel.supported());
  /** Refuses modes that are not among the capabilities. */
  const expectMode = (mode: Routing['mode']) => {
    if (!capabilities().includes(`routing.${mode}`))
      throw new ResponseError(ErrorCodes.InvalidParams, 'routing.mode: not on this system');
  };

  async function gatewayStream(address?: string): Promise<Socket> {
    try {
      const stream = tunnel.openGatewayStream(address);
      if (!stream) throw new ResponseError(helperError.wrongState, 'nothing is signed in to');
      socket.once('close', () => stream.socket.destroy());
      await stream.made;
      return stream.socket;
    } catch (error) {
      if (error instanceof ResponseError) throw error;
      const code = codeOf(error);
      log.warn('the gateway was not reached for a sign-in', { code: code ?? String(error) });
      throw new ResponseError(helperError.gatewayNotReached, 'the gateway was not reached', { code });
    }
  }

  const handlers: Handlers = {
    hello({ protocolVersion }) {
      if (protocolVersion !== helperProtocolVersion) {
        throw new ResponseError(helperError.protocolVersion, 'another protocol version', {
          supported: [helperProtocolVersion],
        });
      }
      endGreetingLimit();
      handshakeDone = true;
      tunnel.clients.attach(client);
      return {
        protocolVersion: helperProtocolVersion,
        helperVersion,
        capabilities: capabilities(),
        engines: [...tunnel.engines()],
      };
    },
    subscribe() {
      unsubscribe ??= tunnel.state.onChange(() => {
        if (socket.writableLength > maxUnreadBytes) close();
        else void connection.sendNotification('stateChanged', tunnel.state.seenBy(client)).catch(close);
      });
      return null;
    },
    snapshot: () => tunnel.state.seenBy(client),
    async connect(request) {
      expectMode(request.routing.mode);
      await tunnel.connect({ ...request, routing: lists.whole(request) }, client);
      return null;
    },
    async setRouting(change) {
      expectMode(change.routing.mode);
      const { killSwitch, allowIncoming } = change;
      if (await tunnel.setRouting({ routing: lists.whole(change), killSwitch, allowIncoming })) return null;
      throw new ResponseError(helperError.wrongState, 'there is no connection to route for');
    },
    killSwitch: () => ({ isOn: tunnel.isKillSwitchOn() }),
    storeLists: (params) => ({ name: lists.store(params.lists) }),
    async holdConnection(request) {
      const outcome = await tunnel.hold(client, request);
      if (outcome === 'too-many')
        throw new ResponseError(helperError.noRoom, 'too many connections were held');
      if (outcome === 'not-now') throw new ResponseError(helperError.wrongState, 'nothing can be held now');
      return null;
    },
    async dropHeld() {
      await tunnel.dropHeld(client);
      return null;
    },
    provideSession({ session, address }) {
      if (tunnel.provideSession(session, address)) return null;
      throw new ResponseError(helperError.wrongState, 'nothing waits for a session');
    },
    async setAddresses({ otherAddresses }) {
      if (await tunnel.setAddresses(otherAddresses)) return null;
      throw new ResponseError(helperError.wrongState, 'there is no connection to a gateway');
    },
    async openGatewayStream({ address }) {
      const stream = await gatewayStream(address);
      writer.afterLastAnswer(() => {
        unsubscribe?.();
        reader.release();
        carryBytes(socket, stream);
      });
      return null;
    },
    async openPortal({ forMs }) {
      const portal = await tunnel.openPortal(client, forMs);
      if (portal) return portal;
      throw new ResponseError(helperError.wrongState, 'nothing is blocked');
    },
    async closePortal() {
      await tunnel.closePortal();
      return null;
    },
    setDeadline({ deadline }) {
      if (tunnel.setDeadline(deadline ?? undefined)) return null;
      throw new ResponseError(helperError.wrongState, 'there is no connection to end');
    },
    async disconnect({ reason }) {
      await tunnel.disconnect(reason, client);
      return null;
    },
    statistics() {
      const counted = tunnel.statistics();
      if (counted) return counted;
      throw new ResponseError(helperError.wrongState, 'there is no tunnel');
    },
    async moveProcess({ pid, into }) {
      if (!tunnel.supported().groups)
        throw new ResponseError(ErrorCodes.MethodNotFound, 'not on this system');
      if (!caller.sharesProcessIds) {
        options.warn('a caller in a PID namespace of its own cannot say which process it means', caller);
        throw new ResponseError(helperError.noSuchProcess, 'process ids mean others in this PID namespace');
      }
      try {
        return await tunnel.moveProcess({ user: client.user, pid, into });
      } catch (error) {
        if (!(error instanceof NoSuchProcess)) throw error;
        throw new ResponseError(helperError.noSuchProcess, 'no such process of this user');
      }
    },
    readLog: () => ({ lines: options.logMemory.of(client.user) }),
    seal: async ({ secret }) => ({ sealed: await options.sealedSecrets.seal(client.user, secret) }),
    async unseal({ sealed }) {
      const secret = await options.sealedSecrets.unseal(client.user, sealed);
      if (secret !== undefined) return { secret };
      throw new ResponseError(helperError.notSealed, 'not sealed here for this user');
    },
  };

  connection.onRequest(async (method: string, params: unknown) => {
    if (isRefused) {
      throw new ResponseError(helperError.permissionDenied, 'this user may not use the helper');
    }
    if (!isMethodName(method)) throw new ResponseError(ErrorCodes.MethodNotFound, 'no such method');
    if (!handshakeDone && method !== 'hello') throw new ResponseError(helperError.helloFirst, 'hello first');
    if (!open.has(method) && !tunnel.state.mayChange(client)) {
      throw new ResponseError(helperError.notOwner, 'the connection is another user’s');
    }
    return call(handlers, method, params, (error) =>
      log.error('a request failed', error, { method, user: caller.user }),
    );
  });
  connection.onError(([error]) => {
    options.warn('a client was let go', caller, error.message);
    close();
  });
  socket.on('close', () => {
    endGreetingLimit();
    unsubscribe?.();
    lists.forget();
    tunnel.clients.detach(client);
    connection.dispose();
  });
  connection.listen();
}

/** The name of a system error, such as ECONNREFUSED. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

function isMethodName(method: string): method is HelperMethodName {
  return Object.hasOwn(helperMethods, method);
}

async function call<Name extends HelperMethodName>(
  handlers: Handlers,
  method: Name,
  params: unknown,
  onFailure: (error: unknown) => void,
): Promise<HelperResult<Name>> {
  try {
    const parsed = helperMethods[method].params.safeParse(params ?? {});
    if (!parsed.success) throw new ResponseError(ErrorCodes.InvalidParams, describeProblem(parsed.error));
    return await handlers[method](parsed.data as HelperParams<Name>);
  } catch (error) {
    if (error instanceof ResponseError) throw error;
    // Internal failures are only for the log.
    onFailure(error);
    throw new ResponseError(ErrorCodes.InternalError, 'the helper failed');
  }
}

/** Only the first problem, because there is one for each bad entry of a list. */
function describeProblem({ issues: [first] }: z.core.$ZodError): string {
  return `${first?.path.join('.')}: ${first?.message}`.slice(0, 500);
}

/** `lastWord`: closes the connection after the first answer. */
class AnswerWriter extends AnsweringWriter {
  readonly #socket: Socket;
  readonly #reader: BoundedFrameReader;
  readonly #lastWord: boolean;
  #handOver: (() => void) | undefined;

  constructor(socket: Socket, reader: BoundedFrameReader, lastWord: boolean) {
    super(socket, reader);
    this.#socket = socket;
    this.#reader = reader;
    this.#lastWord = lastWord;
  }

  /** Calls back as soon as every request has been answered; nothing is written after that. */
  afterLastAnswer(handOver: () => void): void {
    this.#handOver ??= handOver;
  }

  override async write(message: Message): Promise<void> {
    await super.write(message);
    if (this.#lastWord) this.#socket.end();
    if (this.#handOver && this.#reader.isIdle) this.#handOver();
  }
}
