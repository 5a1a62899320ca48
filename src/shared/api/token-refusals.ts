import type { ApiSession } from './client.ts';

/** What follows when the service refuses the token of whoever is signed in. */
export interface TokenRefusals {
  /** Ends the session, once nobody is signing in again, and unless it has another token by then. */
  refused(): Promise<void>;
  /** `signIn` gets a new token for this device: the service ends the earlier one before its answer is here. */
  during<Result>(signIn: () => Promise<Result>): Promise<Result>;
}

export function createTokenRefusals(options: {
  session(): ApiSession;
  endSession(): Promise<unknown>;
}): TokenRefusals {
  let signedIn: Promise<unknown> = Promise.resolve();
  return {
    async refused() {
      const { token } = options.session();
      await signedIn;
      if (options.session().token === token) await options.endSession();
    },
    during(signIn) {
      const result = signIn();
      signedIn = Promise.allSettled([signedIn, result]).then(() => undefined);
      return result;
    },
  };
}
