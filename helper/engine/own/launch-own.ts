import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createMessageConnection, ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import type { ClientCertificate } from '#shared/helper/gateway-session.ts';
import { AnsweringWriter } from '#node/rpc/answering-writer.ts';
import { BoundedFrameReader } from '#node/rpc/frame-reader.ts';
import { turnsToHandle, untilHandled, waitToTheEnd } from '#node/wait-to-the-end.ts';
import type {
  ProgramProcess,
  ProgramStdio,
  UnprivilegedCommand,
} from '../../system/ports/engine-host-port.ts';
import { readEngineLines } from '../engine-lines.ts';
import type {
  EngineEnd,
  EngineOptions,
  GivenTerms,
  HoldingEngine,
  LaunchEngine,
  LaunchHolding,
} from '../engine-port.ts';
import { endUnstarted, expectStreams } from '../program-start.ts';
import { withoutCookie } from '../without-cookie.ts';
import { createMessageLimit } from './message-limit.ts';
import {
  engineMessages,
  maxMessageBytes,
  type Configured,
  type EngineMessage,
  type EngineMessageName,
  type HoldParams,
  type StartParams,
} from './process/messages.ts';

/** For a goodbye. */
const stopLimitMs = 1_000;
/** For what a program has said before its end; another process may have its descriptors. */
const closeLimitMs = 200;
const frameTimeoutMs = 5_000;

/** The exit statuses of programs that run others (setpriv(1)), if they cannot. */
const notStarted: readonly (number | null)[] = [126, 127];

/** Whether the other end of a socket is closed. */
const isClosed = (error: Error) => 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');

/** Our own engine: a process without privileges, which gets the device as a descriptor. */
export const launchOwn: LaunchEngine = (options) =>
  startProcess(options, options.session.clientCertificate).carry(options);

/** The same, connected before it is known whether anybody wants a tunnel. */
export const launchHolding: LaunchHolding = (options) => {
  const { gateway, address, otherAddresses, proxy } = options;
  const { clientCertificate, ...trust } = options.trust;
  const started = startProcess(options, clientCertificate);
  started.hold({
    host: gateway.host,
    addresses: [address, ...otherAddresses],
    port: gateway.port,
    ...(proxy && { proxy }),
    trust,
    hasClientCertificate: clientCertificate !== undefined,
  });
  return started;
};

/** What each process needs, whatever it is started for. */
type ProcessOptions = Pick<EngineOptions, 'device' | 'ownProgram' | 'secretFile' | 'log'>;

/** A process that does nothing until it is told to hold a connection, or carries a tunnel. */
function startProcess(
  process: ProcessOptions,
  clientCertificate: ClientCertificate | undefined,
): HoldingEngine & { hold(params: HoldParams): void } {
  const { log } = process;
  /** Once it carries a tunnel, or is to. */
  let options: EngineOptions | undefined;
  const program = process.ownProgram();
  const device = process.device.open();
  // Its key passes through no socket: it is there once, for the process that inherits it.
  using identity = clientCertificate && process.secretFile(JSON.stringify(clientCertificate));
  let child: ProgramProcess;
  try {
    child = startProgram(program, [
      'ignore',
      'pipe',
      'pipe',
      // On Windows, whoever inherits the end of a pipe could otherwise only wait for it in threads.
      'overlapped',
      device.inherited,
      identity?.descriptor ?? 'ignore',
    ]);
  } catch (error) {
    device.close();
    throw error;
  }
  const [, stdout, stderr, control, packets] = child.stdio as unknown as [
    null,
    Readable,
    Readable,
    Socket,
    Socket | null,
  ];
  for (const stream of [stdout, stderr, control]) stream.on('error', () => undefined);
  const redact = (text: string) => (options ? withoutCookie(text, options.session.cookie) : text);
  readEngineLines([stdout, stderr], {
    log: (line) => log.warn('engine', { line: redact(line) }),
    onUnlogged: (count) => log.warn('the engine says too much', { unlogged: count }),
    onLine: () => undefined,
  });

  const { promise: ended, resolve } = Promise.withResolvers<EngineEnd>();
  const { promise: gone, resolve: isGone } = Promise.withResolvers<void>();
  let told: EngineEnd | undefined;
  let hasSpoken = false;
  let hasBegun = false;
  let isReached = false;
  let isKilled = false;
  const kill = () => {
    isKilled = true;
    child.kill('SIGKILL');
    for (const stream of [stdout, stderr, control]) stream.destroy();
  };
  /** The first of them says why. Its process takes a while to go, and nobody may be given a tunnel by it meanwhile. */
  const end = (why: EngineEnd) => {
    told ??= why;
    kill();
    isGone();
  };
  const misbehaves = (how: string) => {
    if (told === undefined) log.warn('the engine misbehaves and is ended', { how });
    end('failed');
  };
  child.once('error', (error) => {
    log.error('the engine cannot be started', error);
    resolve(endUnstarted(error));
  });
  child.once('exit', (code) => {
    if (notStarted.includes(code)) return resolve('absent');
    // Whoever ends it while it waits for the gateway's answer does so because that does not come.
    if (isKilled) return resolve(told ?? (hasBegun && !isReached ? 'gateway-unreachable' : 'failed'));
    const finish = () => {
      stopWaiting();
      resolve(told ?? (hasSpoken ? 'failed' : 'not-started'));
    };
    const stopWaiting = waitToTheEnd(closeLimitMs, finish, turnsToHandle);
    // Who was busy learns of its end before what it has said is handled.
    child.once('close', () => void untilHandled().then(finish));
  });

  const reader = new BoundedFrameReader(control, {
    get maxBodyBytes() {
      return maxMessageBytes[options?.wantsPushedRoutes === true ? 'withRoutes' : 'withoutRoutes'];
    },
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
  /** What it may say before it carries a tunnel, too. */
  const onAnyTime = <Name extends Exclude<EngineMessageName, 'configuration'>>(
    name: Name,
    handle: (message: EngineMessage<Name>) => void,
  ) =>
    connection.onNotification(name, (params: unknown) => {
      const message = read(name, params);
      if (message !== undefined && told === undefined) handle(message);
    });
  const on = <Name extends Exclude<EngineMessageName, 'configuration'>>(
    name: Name,
    handle: (message: EngineMessage<Name>, tunnel: EngineOptions) => void,
  ) =>
    onAnyTime(name, (message) =>
      options ? handle(message, options) : misbehaves(`before it carries a tunnel: ${name}`),
    );
  on('begun', (_, tunnel) => {
    hasBegun = true;
    tunnel.onBegun();
  });
  on('reached', ({ address }, tunnel) => {
    if (![tunnel.address, ...tunnel.otherAddresses].includes(address))
      return misbehaves('an address of its own');
    isReached = true;
    tunnel.onReached(address);
  });
  on('terms', (terms, tunnel) => tunnel.onTerms(terms as GivenTerms));
  on('unreachable', ({ cause }, tunnel) => tunnel.onUnreachable(cause));
  on('encryption', ({ transport, encryption }, tunnel) => tunnel.onEncryption(transport, encryption));
  on('transport', ({ transport }, tunnel) => tunnel.onTransport(transport));
  onAnyTime('note', ({ text }) => log.info('engine', { line: redact(text) }));
  onAnyTime('ended', ({ end: why, goodbye }) => {
    if (goodbye !== undefined) options?.onGoodbye(redact(goodbye));
    end(why);
  });
  // Whoever wants a tunnel by now gets it by another connection.
  onAnyTime('unheld', () => void (!options && end('connection-lost')));
  connection.onRequest('configuration', async (params: unknown): Promise<Configured | ResponseError> => {
    const given = read('configuration', params);
    if (given === undefined || told !== undefined || !options)
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

  const send = async (method: string, params?: StartParams | HoldParams) => {
    try {
      if (told === undefined) await connection.sendNotification(method, params);
    } catch {
      // It has ended, and `ended` says so.
    }
  };
  const stop = async () => {
    void send('stop');
    const timer = setTimeout(kill, stopLimitMs);
    await ended;
    clearTimeout(timer);
  };
  void ended.finally(() => {
    device.close();
    isGone();
  });
  const start = async (tunnel: EngineOptions) => {
    const linkMtu = await tunnel.linkMtu().catch((error: unknown) => {
      log.error('the MTU of the link could not be found out', error);
      return undefined;
    });
    const { gateway, address, otherAddresses, proxy, mtu, roundTripMs, wantsPushedRoutes } = tunnel;
    const { clientCertificate: _inherited, ...session } = tunnel.session;
    void send('start', {
      host: gateway.host,
      addresses: [address, ...otherAddresses],
      port: gateway.port,
      ...(proxy && { proxy }),
      session,
      hasClientCertificate: clientCertificate !== undefined,
      packetHeader: tunnel.device.packetHeader,
      ...(mtu !== undefined && { mtu }),
      ...(linkMtu !== undefined && { linkMtu }),
      roundTripMs,
      wantsPushedRoutes,
    });
  };
  return {
    gone,
    stop,
    hold: (params) => void send('hold', params),
    carry(tunnel) {
      options = tunnel;
      return {
        racesAddresses: true,
        ended,
        kill,
        stop,
        release() {
          try {
            device.attach(packets);
            // The engine has it; nobody else is to read its packets.
            device.close();
          } catch (error) {
            log.error('the device cannot be handed to the engine', error);
            return end('failed');
          }
          void start(tunnel);
        },
      };
    },
  };
}

const startProgram = (program: UnprivilegedCommand, stdio: ProgramStdio[]): ProgramProcess =>
  program.start?.(stdio) ??
  expectStreams(spawn(program.file, program.args, { cwd: '/', env: program.environment, stdio }));
