import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import {
  helperEvents,
  helperMethods,
  helperProtocolVersion,
  type EngineKind,
  type HelperMethodName,
  type HelperParams,
  type HelperResult,
} from '#shared/helper/protocol.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';

/** A client of the helper that remembers every state it was told. */
export interface TestClient extends Disposable {
  readonly socket: Socket;
  /** What the helper says that it can do. */
  readonly capabilities: readonly string[];
  /** What it can carry tunnels with, the usual one first. */
  readonly engines: readonly EngineKind[] | undefined;
  /** States in the order they were told, the snapshot at the beginning included. */
  readonly states: TunnelState[];
  call<Name extends HelperMethodName>(name: Name, params: HelperParams<Name>): Promise<HelperResult<Name>>;
  /**
   * The first state of that kind among those told since `seen` of them had been, and of these, if `after` is given,
   * since one of that other kind; waits for it. What is learnt of a tunnel is told in further states of the kind
   * `connected`, at any time: who waits for another tunnel says `after`.
   */
  until<Kind extends TunnelState['state']>(
    kind: Kind,
    options?: {
      seen?: number;
      after?: TunnelState['state'];
      where?: (state: Extract<TunnelState, { state: Kind }>) => boolean;
      limitMs?: number;
    },
  ): Promise<Extract<TunnelState, { state: Kind }>>;
}

/** Connects, says hello, subscribes and takes the snapshot, as the app does. */
export async function attach(socketPath: string): Promise<TestClient> {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  const states: TunnelState[] = [];
  const watchers = new Set<() => void>();
  const tell = (state: TunnelState) => {
    states.push(state);
    for (const watcher of watchers) watcher();
  };
  connection.onNotification('stateChanged', (payload: unknown) =>
    tell(helperEvents.stateChanged.parse(payload)),
  );
  connection.onClose(() => connection.dispose());
  connection.listen();
  const call: TestClient['call'] = async (name, params) =>
    helperMethods[name].result.parse(await connection.sendRequest(name, params)) as never;
  const { capabilities, engines } = await call('hello', {
    protocolVersion: helperProtocolVersion,
    client: { name: 'test', version: '0' },
  });
  await call('subscribe', {});
  tell(await call('snapshot', {}));
  return {
    socket,
    capabilities,
    engines,
    states,
    call,
    until(kind, { seen = 0, after, where = () => true, limitMs = 20_000 } = {}) {
      type Wanted = Extract<TunnelState, { state: typeof kind }>;
      const isWanted = (state: TunnelState): state is Wanted =>
        state.state === kind && where(state as Wanted);
      return new Promise((resolve, reject) => {
        const settle = (end: () => void) => {
          watchers.delete(look);
          clearTimeout(limit);
          end();
        };
        const give = () =>
          settle(() => reject(new Error(`never ${kind}: ${JSON.stringify(states.slice(seen))}`)));
        const look = () => {
          const told = states.slice(seen);
          const since = after === undefined ? 0 : told.findIndex(({ state }) => state === after);
          const found = since < 0 ? undefined : told.slice(since).find(isWanted);
          if (found) settle(() => resolve(found));
          // The tunnel has been given up: nothing comes by itself any more.
          else if (told.at(-1)?.state === 'disconnected' && told.length > 1) give();
        };
        const limit = setTimeout(give, waitLimit(limitMs));
        watchers.add(look);
        look();
      });
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}
