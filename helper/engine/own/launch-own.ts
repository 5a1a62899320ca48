import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import {
  createMessageConnection,
  ErrorCodes,
  Message,
  ResponseError,
  SocketMessageWriter,
} from 'vscode-jsonrpc/node';
import { BoundedFrameReader } from '#node/rpc/frame-reader.ts';
import { readEngineLines } from '../engine-lines.ts';
import type { Engine, EngineEnd, EngineOptions, GivenTerms } from '../engine-port.ts';
import { createMessageLimit } from './message-limit.ts';
import {
  engineMessages,
  maxMessageBytes,
  type Configured,
  type EngineMessage,
  type EngineMessageName,
  type StartParams,
} from './process/messages.ts';

/** For a goodbye. */
const stopLimitMs = 1_000;
const frameTimeoutMs = 5_000;

/** The exit statuses of programs that run others (setpriv(1)), if they cannot. */
const notStarted: readonly (number | null)[] = [126, 127];

/** Whether the other end of a socket is closed. */
const isClosed = (error: Error) => 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');

/** Our own engine: a process without privileges, which gets the device as a descriptor. */
export function launchOwn(options: EngineOptions): Engine {
  const { log } = options;
  const { clientCertificate, ...session } = options.session;
  const { file, args, environment } = options.ownProgram();
  const device = options.device.open();
  // Its key passes through no socket: it is there once, for the process that inherits it.
  using identity = clientCertificate && options.secretFile(JSON.stringify(clientCertificate));
  const child = spawn(file, args, {
    cwd: '/',
    env: environment,
    // On Windows, whoever inherits the end of a pipe could otherwise only wait for it in threads.
    stdio: ['ignore', 'pipe', 'pipe', 'overlapped', device.inherited, identity?.descriptor ?? 'ignore'],
  });
  const [, stdout, stderr, control, packets] = child.stdio as unknown as [
    null,
    Readable,
    Readable,
    Socket,
    Socket | null,
  ];
  for (const stream of [stdout, stderr, control]) stream.on('error', () => undefined);
  readEngineLines([stdout, stderr], {
    log: (line) => log.warn('engine', { line: line.replaceAll(session.cookie, '[cookie]') }),
    onUnlogged: (count) => log.warn('the engine says too much', { unlogged: count }),
    onLine: () => undefined,
  });

  const { promise: ended, resolve } = Promise.withResolvers<EngineEnd>();
  let told: EngineEnd | undefined;
  let hasSpoken = false;
  let isReached = false;
  let isKilled = false;
  const kill = () => {
    isKilled = true;
    child.kill('SIGKILL');
    for (const stream of [stdout, stderr, control]) stream.destroy();
  };
  /** The first of them says why. */
  const end = (why: EngineEnd) => {
    told ??= why;
    kill();
  };
  const misbehaves = (how: string) => {
    if (told === undefined) log.warn('the engine misbehaves and is ended', { how });
    end('failed');
  };
  child.once('error', (error) => {
    log.error('the engine cannot be started', error);
    resolve('absent');
  });
  child.once('exit', (code) => {
    if (notStarted.includes(code)) return resolve('absent');
    if (told === undefined && !isKilled && !hasSpoken) return resolve('not-started');
    // Whoever ends it before the gateway has answered does so because that does not answer.
    resolve(told ?? (isKilled && !isReached ? 'gateway-unreachable' : 'failed'));
  });

  const reader = new BoundedFrameReader(control, {
    maxBodyBytes: maxMessageBytes[options.wantsPushedRoutes ? 'withRoutes' : 'withoutRoutes'],
    frameTimeoutMs,
    // It waits for the answer to one configuration before it asks for the next.
    maxUnanswered: 1,
    maxUnansweredBytes: maxMessageBytes.withRoutes,
  });
  const connection = createMessageConnection(reader, new AnsweringWriter(control, reader));
  const limit = createMessageLimit();
  const read = <Name extends EngineMessageName>(
    name: Name,
    params: unknown,
  ): EngineMessage<Name> | undefined => {
    hasSpoken = true;
    const isAdmitted = limit.admits(name);
    const parsed = isAdmitted ? engineMessages[name].safeParse(params) : undefined;
    if (parsed?.success) return parsed.data as EngineMessage<Name>;
    misbehaves(`${isAdmitted ? 'an unreadable message' : 'too much'}: ${name}`);
    return undefined;
  };
  const on = <Name extends Exclude<EngineMessageName, 'configuration'>>(
    name: Name,
    handle: (message: EngineMessage<Name>) => void,
  ) =>
    connection.onNotification(name, (params: unknown) => {
      const message = read(name, params);
      if (message !== undefined && told === undefined) handle(message);
    });
  on('reached', () => {
    isReached = true;
    options.onReached();
  });
  on('terms', (terms) => options.onTerms(terms as GivenTerms));
  on('unreachable', ({ cause }) => options.onUnreachable(cause));
  on('encryption', ({ transport, encryption }) => options.onEncryption(transport, encryption));
  on('transport', ({ transport }) => options.onTransport(transport));
  on('note', ({ text }) => log.info('engine', { line: text.replaceAll(session.cookie, '[cookie]') }));
  on('ended', ({ end: why }) => end(why));
  connection.onRequest('configuration', async (params: unknown): Promise<Configured | ResponseError> => {
    const given = read('configuration', params);
    if (given === undefined || told !== undefined)
      return new ResponseError(ErrorCodes.InvalidRequest, 'not now');
    const isApplied = await options.onConfiguration(given).catch((error: unknown) => {
      log.error('the configuration was not applied', error);
      return false;
    });
    if (!isApplied) end('configuration-failed');
    return { isApplied };
  });
  connection.onRequest((method) => {
    misbehaves(`unknown: ${method}`);
    return new ResponseError(ErrorCodes.MethodNotFound, 'unknown');
  });
  connection.onUnhandledNotification(({ method }) => misbehaves(`unknown: ${method}`));
  connection.onError(([error]) => {
    // A program that ends at once closes its socket first, and its exit says what has become of it.
    if (!hasSpoken && isClosed(error)) child.kill('SIGKILL');
    else misbehaves(error.message);
  });
  connection.listen();

  const send = async (method: string, params?: StartParams) => {
    try {
      if (told === undefined) await connection.sendNotification(method, params);
    } catch {
      // It has ended, and `ended` says so.
    }
  };
  void ended.finally(() => device.close());
  const start = async () => {
    const linkMtu = await options.linkMtu().catch((error: unknown) => {
      log.error('the MTU of the link could not be found out', error);
      return undefined;
    });
    const { gateway, address, proxy, mtu, roundTripMs, wantsPushedRoutes } = options;
    void send('start', {
      host: gateway.host,
      address,
      port: gateway.port,
      ...(proxy && { proxy }),
      session,
      hasClientCertificate: clientCertificate !== undefined,
      packetHeader: options.device.packetHeader,
      ...(mtu !== undefined && { mtu }),
      ...(linkMtu !== undefined && { linkMtu }),
      roundTripMs,
      wantsPushedRoutes,
    });
  };
  return {
    ended,
    kill,
    release() {
      try {
        device.attach(packets);
        // The engine has it; nobody else is to read its packets.
        device.close();
      } catch (error) {
        log.error('the device cannot be handed to the engine', error);
        return end('failed');
      }
      void start();
    },
    async stop() {
      void send('stop');
      const timer = setTimeout(kill, stopLimitMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Tells the reader of each answer. */
class AnsweringWriter extends SocketMessageWriter {
  readonly #reader: BoundedFrameReader;

  constructor(socket: Socket, reader: BoundedFrameReader) {
    super(socket);
    this.#reader = reader;
  }

  override async write(message: Message): Promise<void> {
    await super.write(message);
    if (Message.isResponse(message)) this.#reader.answered();
  }
}
