import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { DisconnectReason } from '#shared/tunnel/state.ts';
import { abortable } from './abortable.ts';
import type { AttachedClients, Client } from './attached-clients.ts';

/** The result of waiting for a session. */
export type SessionWait = ProvidedSession | { givenUp: DisconnectReason };

/** `address`: where the sign-in has found the gateway; undefined: where it was said to be. */
export interface ProvidedSession {
  session: GatewaySession;
  address: string | undefined;
}

/** How long a tunnel that lost its session waits for a client to sign in again. */
export const noClientLimitMs = 60_000;

export type WaitPolicy =
  | { kind: 'client'; client: Client }
  | { kind: 'any-client'; maySignIn: (client: Client) => boolean }
  | { kind: 'endless' };

export interface SessionWaitOptions {
  clients: AttachedClients;
  /**
   * Called whenever a client connects or disconnects. Decides who has to sign in: for a first connection, the client
   * that asked for it, without which the wait is over; for a connection that was up before, any client that may; with
   * the kill switch on, the wait never ends.
   */
  policy: () => WaitPolicy;
  signal: AbortSignal;
}

/** Where one session is awaited. */
export interface SessionSlot {
  wait(options: SessionWaitOptions): Promise<SessionWait>;
  /** False if nothing waits. */
  provide(session: GatewaySession, address?: string): boolean;
}

export function createSessionSlot(): SessionSlot {
  let settle: ((outcome: SessionWait) => void) | undefined;
  return {
    provide(session, address) {
      if (!settle) return false;
      settle({ session, address });
      settle = undefined;
      return true;
    },
    async wait({ clients, policy: currentPolicy, signal }) {
      const { promise, resolve } = Promise.withResolvers<SessionWait>();
      settle = resolve;
      let limit: NodeJS.Timeout | undefined;
      const review = () => {
        clearTimeout(limit);
        const policy = currentPolicy();
        if (policy.kind === 'client' && !clients.has(policy.client))
          resolve({ givenUp: 'sign-in-cancelled' });
        if (policy.kind === 'any-client' && !clients.some(policy.maySignIn)) {
          limit = setTimeout(() => resolve({ givenUp: 'session-ended' }), noClientLimitMs);
        }
      };
      const unsubscribe = clients.onChange(review);
      review();
      try {
        return await abortable(promise, signal);
      } finally {
        settle = undefined;
        clearTimeout(limit);
        unsubscribe();
      }
    },
  };
}
