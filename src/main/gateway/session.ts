import type { GatewaySession } from '#shared/helper/protocol.ts';
import type { DisconnectReason, Gateway } from '#shared/tunnel/state.ts';

/** Who signs in. */
export interface GatewayCredentials {
  username: string;
  password: string;
}

/** A session that the gateway gave, and the address at which the gateway was verified. */
export interface SignedIn {
  address: string;
  session: GatewaySession;
}

/** `needs-user`: the gateway asks something that only the user can answer, and nobody was there to ask. */
export type SignInFailure =
  | Extract<
      DisconnectReason,
      | 'gateway-unreachable'
      | 'gateway-certificate-refused'
      | 'sign-in-refused'
      | 'sign-in-cancelled'
      | 'answer-refused'
    >
  | 'needs-user';

export type SignInResult = { ok: true; signedIn: SignedIn } | { ok: false; failure: SignInFailure };

/** Whether the user is there to answer forms and to sign in by browser; `forms`: a browser would reach nothing. */
export type Interactive = boolean | 'forms';

/** Signs in to `gateway` at `address`. */
export type SignIn = (request: {
  gateway: Gateway;
  address: string;
  credentials: GatewayCredentials;
  interactive: Interactive;
  signal: AbortSignal;
}) => Promise<SignInResult>;
