import { createSerialQueue } from '../serial-queue.ts';
import type { ApiSession } from './client.ts';

/** What follows when the service refuses the token of whoever is signed in. */
export interface TokenRefusals {
  /** Ends the session, once nobody is signing in again, and unless it has another token by then. */
  refused(): Promise<void>;
  /** `signIn` gets a new token for this device: the service ends the earlier one before its answer is here. */
  during<Result>(signIn: () => Promise<Result>): Promise<Result>;
}

/** Has one done after the other. */
export type InTurn = ReturnType<typeof createSerialQueue>;

export function createTokenRefusals(options: {
  session(): ApiSession;
  endSession(): Promise<unknown>;
  /** Among all who have this session; by default, nobody else has. */
  inTurn?: InTurn | undefined;
}): TokenRefusals {
  const { inTurn = createSerialQueue() } = options;
  return {
    async refused() {
      const { token } = options.session();
      // Whoever signs in next does not wait until all is forgotten.
      const { ended } = await inTurn(async () => ({
        ended: options.session().token === token ? options.endSession() : undefined,
      }));
      await ended;
    },
    during: (signIn) => inTurn(signIn),
  };
}
