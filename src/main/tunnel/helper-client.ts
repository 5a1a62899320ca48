import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { pauseAfter } from '#shared/back-off.ts';
import type { HelperMethodName, HelperParams, HelperResult } from '#shared/helper/protocol.ts';
import type { InvalidCause, TunnelState } from '#shared/tunnel/state.ts';
import { openHelperConnection, usualHelloMs, type HelperConnection } from './helper-connection.ts';

/** The helper as the app sees it. It attaches again whenever the helper goes away and comes back. */
export interface HelperClient {
  /** The last state from the helper, or `invalid` with the cause while none can be reached. */
  state(): TunnelState;
  /** False while no helper can be reached; an attached helper may still be unable to make tunnels. */
  isAttached(): boolean;
  /** A different object for each connection to a helper; undefined while there is none. */
  attachment(): object | undefined;
  /** The capabilities of the last helper; undefined if there has been none. */
  capabilities(): readonly string[] | undefined;
  /** Resolves after the first attempt to attach, whether or not it succeeded. */
  readonly ready: Promise<void>;
  /** Rejects if the helper refuses, or if there is none. */
  call<Name extends HelperMethodName>(name: Name, params: HelperParams<Name>): Promise<HelperResult<Name>>;
  /** Asks for the state again; afterwards, `state` includes the effect of all earlier calls. */
  refresh(): Promise<void>;
  /** Calls the listener when the state has changed. */
  onState(listener: (state: TunnelState) => void): void;
  close(): void;
}

const backOff = { firstMs: 100, maxMs: 2000 } as const;

/** With a fixed time, one that is always a little slower than that would never be attached to. */
const maxHelloMs = 60_000;

/** In an upgrade, or after a crash, the next helper listens within seconds, and programs wait for its tunnel. */
const returning = { pauseMs: 100, forMs: 10_000 } as const;

export function createHelperClient(options: {
  socketPath: string;
  version: string;
  log: Logger;
  /** How long the helper may take to answer the first hello, in milliseconds. */
  helloMs?: number;
}): HelperClient {
  const { helloMs = usualHelloMs } = options;
  const listeners = new Set<(state: TunnelState) => void>();
  const stopping = new AbortController();
  const { promise: ready, resolve: attempted } = Promise.withResolvers<void>();
  let state: TunnelState = { state: 'invalid', cause: 'helper-absent' };
  let attached: HelperConnection | undefined;
  let capabilities: readonly string[] | undefined;

  function tell(next: TunnelState): void {
    if (isDeepStrictEqual(next, state)) return;
    state = next;
    for (const listener of listeners) listener(next);
  }

  /** The life of one connection: hello, subscribe, one snapshot, then events until it ends. */
  async function attach(failures: number): Promise<'ended' | InvalidCause> {
    const connection = await openHelperConnection({
      ...options,
      helloMs: pauseAfter(failures + 1, { firstMs: helloMs, maxMs: maxHelloMs }),
      signal: stopping.signal,
      onState: tell,
    });
    if (typeof connection === 'string') return connection;
    if (stopping.signal.aborted) connection.close();
    capabilities = connection.capabilities;
    try {
      // Set before the first state, because a listener may answer that with a call.
      attached = connection;
      await connection.call('subscribe', {});
      tell(await connection.call('snapshot', {}));
      attempted();
      await connection.closed;
      return 'ended';
    } catch (error) {
      options.log.warn({ err: error }, 'could not attach to the helper');
      return 'helper-absent';
    } finally {
      attached = undefined;
      connection.close();
    }
  }

  async function keepAttached(): Promise<void> {
    let failures = 0;
    let lostAt = -Infinity;
    while (!stopping.signal.aborted) {
      const outcome = await attach(failures);
      if (stopping.signal.aborted) return;
      if (outcome === 'ended') lostAt = performance.now();
      failures = outcome === 'ended' ? 1 : failures + 1;
      const cause = outcome === 'ended' ? 'helper-absent' : outcome;
      tell({ state: 'invalid', cause });
      attempted();
      try {
        const isReturning = performance.now() - lostAt < returning.forMs;
        const pauseMs = isReturning ? returning.pauseMs : pauseAfter(failures, backOff);
        await delay(pauseMs, undefined, { signal: stopping.signal });
      } catch {
        return;
      }
    }
  }

  async function call<Name extends HelperMethodName>(name: Name, params: HelperParams<Name>) {
    if (!attached) throw new Error(`no helper to ask for ${name}`);
    return await attached.call(name, params);
  }

  void keepAttached();

  return {
    state: () => state,
    isAttached: () => attached !== undefined,
    attachment: () => attached,
    capabilities: () => capabilities,
    ready,
    call,
    async refresh() {
      tell(await call('snapshot', {}));
    },
    onState(listener) {
      listeners.add(listener);
    },
    close() {
      stopping.abort();
      attached?.close();
      attempted();
    },
  };
}
