import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createMessageConnection,
  ResponseError,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import {
  helperMethods,
  helperProtocolVersion,
  type HelperMethodName,
  type HelperParams,
} from '#shared/helper/protocol.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

export interface HelperCall {
  method: HelperMethodName;
  params: object;
}

/** A helper without a tunnel: keeps to the protocol, and goes to the states a test tells it to. */
export interface TestHelper {
  readonly socketPath: string;
  /** Every call but hello and subscribe, in order. */
  readonly calls: HelperCall[];
  readonly state: TunnelState;
  set(state: TunnelState): void;
  /** What happens on a call, beside the reply. Throwing is the reply. */
  on<Name extends HelperMethodName>(method: Name, action: (params: HelperParams<Name>) => void): void;
  /** What it says of its log; one that is older says nothing. */
  log: string[] | undefined;
  /** Whether it has a connection whose kill switch is on. */
  killSwitch: boolean;
  /** Whether it tells what comes in through the tunnel from what was asked for; one that is older does not. */
  filtersIncoming: boolean;
  /** Sends something that need not be in the protocol. */
  notify(method: string, params: unknown): void;
  stop(): Promise<void>;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startTestHelper(
  options: {
    protocolVersion?: number;
    proxyPort?: number;
    keepsLists?: boolean;
    takesCertificates?: boolean;
    takesAddresses?: boolean;
    takesProxies?: 'with-realms' | 'without-realms';
    holds?: boolean;
    signsInAnywhere?: boolean;
    /** How long its answer to each hello takes, in milliseconds; to those after them, as long as to the last. */
    helloTakesMs?: readonly number[];
  } = {},
): Promise<TestHelper> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-helper-'));
  const socketPath = path.join(directory, 'helper.sock');
  const calls: HelperCall[] = [];
  const actions = new Map<string, (params: never) => void>();
  const clients = new Map<Socket, { rpc: MessageConnection; subscribed: boolean }>();
  let state: TunnelState = { state: 'disconnected' };
  let log: string[] | undefined;
  let killSwitch = false;
  let filtersIncoming = false;

  function answer(method: HelperMethodName, params: unknown, socket: Socket): unknown {
    const parsed = helperMethods[method].params.parse(params ?? {});
    if (method === 'hello') {
      const { protocolVersion = helperProtocolVersion } = options;
      if (protocolVersion < 0) throw new ResponseError(protocolVersion, 'refused');
      return {
        protocolVersion,
        helperVersion: 'test',
        capabilities: [
          'routing.global',
          'routing.pac',
          ...(log ? ['log'] : []),
          ...(filtersIncoming ? ['incoming'] : []),
          ...(options.keepsLists ? ['lists'] : []),
          ...(options.takesCertificates ? ['client-certificate'] : []),
          ...(options.takesAddresses ? ['addresses'] : []),
          ...(options.takesProxies ? ['proxy'] : []),
          ...(options.takesProxies === 'with-realms' ? ['proxy-realm'] : []),
          ...(options.holds ? ['hold'] : []),
          ...(options.signsInAnywhere ? ['sign-in-addresses', 'hold-at-sign-in'] : []),
        ],
      };
    }
    if (method === 'subscribe') {
      const client = clients.get(socket);
      if (client) client.subscribed = true;
      return null;
    }
    calls.push({ method, params: parsed });
    (actions.get(method) as ((params: object) => void) | undefined)?.(parsed);
    if (method === 'snapshot') return state;
    if (method === 'storeLists')
      return { name: createHash('sha256').update(JSON.stringify(params)).digest('hex') };
    if (method === 'killSwitch') return { isOn: killSwitch };
    if (method === 'readLog') return { lines: log ?? [] };
    if (method === 'openPortal') return { proxyPort: options.proxyPort ?? 9 };
    return method === 'statistics' ? { received: 11, sent: 7 } : null;
  }

  const notify = (method: string, params: unknown) => {
    for (const { rpc, subscribed } of clients.values()) {
      // A client that is being let go is told nothing.
      if (subscribed) rpc.sendNotification(method, params).catch(() => undefined);
    }
  };

  let hellos = 0;
  const helloTakesMs = () => {
    hellos += 1;
    return options.helloTakesMs?.at(hellos - 1) ?? options.helloTakesMs?.at(-1) ?? 0;
  };

  const server = createServer((socket) => {
    const rpc = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
    clients.set(socket, { rpc, subscribed: false });
    rpc.onRequest(async (method, params) => {
      if (method === 'hello' && options.helloTakesMs) await delay(helloTakesMs(), undefined, { ref: false });
      return answer(method as HelperMethodName, params, socket);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clients.delete(socket);
      rpc.dispose();
    });
    rpc.listen();
  });

  const start = () =>
    new Promise<void>((resolve) => {
      server.listen(socketPath, resolve);
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of clients.keys()) socket.destroy();
    });

  await start();
  return {
    socketPath,
    calls,
    get state() {
      return state;
    },
    get log() {
      return log;
    },
    set log(lines) {
      log = lines;
    },
    get killSwitch() {
      return killSwitch;
    },
    set killSwitch(isOn) {
      killSwitch = isOn;
    },
    get filtersIncoming() {
      return filtersIncoming;
    },
    set filtersIncoming(does) {
      filtersIncoming = does;
    },
    set(next) {
      state = next;
      notify('stateChanged', next);
    },
    on(method, action) {
      actions.set(method, action);
    },
    notify,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      if (server.listening) await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
