import type { DisconnectReason } from '#shared/tunnel/state.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import type { Connection } from '../system/system-adapter.ts';
import { createAddressTurns, type AddressTurns } from './address-turns.ts';
import { runConnection, type ConnectionRunOptions } from './connection-run.ts';
import { createSessionSlot, type SessionSlot } from './session-wait.ts';
import { createRenewal, type Renewal } from './engine-renewal.ts';
import { createWake, type Wake } from '../wake.ts';

/** A connection in progress or up. */
export interface Run {
  /** As it was requested, but with the current kill switch and address. */
  readonly connection: Connection;
  readonly addresses: AddressTurns;
  readonly sessions: SessionSlot;
  readonly wake: Wake;
  /** Has an engine that is up replaced at once. */
  readonly renewal: Renewal;
  /** What the gateway said as it ended the last tunnel, or refused one since. */
  readonly said: { goodbye?: string | undefined };
  readonly abort: AbortController;
  /** Settles when it is over; never rejects. */
  over: Promise<void>;
  /** Settles when its last engine has ended. */
  engineGone: Promise<void>;
}

export const createRun = (connection: Connection, otherAddresses: readonly string[] = []): Run => ({
  connection,
  addresses: createAddressTurns(connection.address, otherAddresses),
  sessions: createSessionSlot(),
  wake: createWake(),
  renewal: createRenewal(),
  said: {},
  abort: new AbortController(),
  over: Promise.resolve(),
  engineGone: Promise.resolve(),
});

/**
 * Resolves when traffic is blocked, or the connection is over before that. `onOver`: it has ended by itself. After an
 * abort, nothing is called any more.
 */
export async function beginRun(
  run: Run,
  options: Omit<
    ConnectionRunOptions,
    | 'connection'
    | 'addresses'
    | 'sessions'
    | 'wake'
    | 'renewal'
    | 'said'
    | 'signal'
    | 'onBlocked'
    | 'onEngineLeft'
  > & { onOver: (reason: DisconnectReason | undefined) => void },
): Promise<void> {
  const { connection, addresses, sessions, wake, renewal, said } = run;
  const { signal } = run.abort;
  const { promise: isBlocked, resolve: onBlocked } = Promise.withResolvers<void>();
  run.over = runConnection({
    ...options,
    connection,
    addresses,
    sessions,
    wake,
    renewal,
    said,
    signal,
    setState: (state) => {
      if (!signal.aborted) options.setState(state);
    },
    onBlocked,
    onEngineLeft: (gone) => {
      run.engineGone = gone;
    },
  })
    .catch((error: unknown): DisconnectReason | undefined => {
      if (signal.aborted) return undefined;
      options.log.error('the connection failed', error);
      return error instanceof SystemChangeFailed ? error.reason : 'engine-failed';
    })
    .then((reason) => {
      if (!signal.aborted) options.onOver(reason);
    });
  await Promise.race([isBlocked, run.over]);
}
