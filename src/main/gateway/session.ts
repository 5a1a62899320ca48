import type { GatewaySession } from '#shared/helper/protocol.ts';
import type { DisconnectReason, Gateway } from '#shared/tunnel/state.ts';

/** Who signs in. */
export interface GatewayCredentials {
  username: string;
  password: string;
}

/** A session, the gateway that gave it, and the address at which that was verified. */
export interface SignedIn {
  /** Another than was asked for where that one redirected. */
  gateway: Gateway;
  address: string;
  session: GatewaySession;
  /** What the gateway wants its users to read. */
  banner?: string;
}

/**
 * `needs-user`: the gateway asks something that only the user can answer, and nobody was there to ask. `needs-group`:
 * it asks for a group, which the user chooses once.
 */
export type SignInFailure =
  | Extract<
      DisconnectReason,
      | 'gateway-name-unknown'
      | 'gateway-unreachable'
      | 'gateway-certificate-refused'
      | 'sign-in-refused'
      | 'sign-in-cancelled'
      | 'answer-refused'
      | 'certificate-required'
    >
  | 'needs-user'
  | 'needs-group';

export type SignInResult = { ok: true; signedIn: SignedIn } | { ok: false; failure: SignInFailure };

/** Whether the user is there to answer forms and to sign in by browser; `forms`: a browser would reach nothing. */
export type Interactive = boolean | 'forms';

export interface SignInRequest {
  gateway: Gateway;
  address: string;
  /** What the device signs in with; undefined: the user is asked. */
  credentials: GatewayCredentials | undefined;
  interactive: Interactive;
  signal: AbortSignal;
}

interface Reaching {
  /**
   * Opens the way to another gateway, for when traffic is blocked but to the one that redirected; nothing is sent
   * there before. False if that is not to be any more.
   */
  reach?: (gateway: Gateway, address: string) => Promise<boolean>;
}

/** Signs in to `gateway` at `address`, or at the gateway to which it redirects. */
export type SignInWith = (request: SignInRequest & Reaching) => Promise<SignInResult>;

/** The same, with what the service hands out for the gateway. */
export type SignIn = (request: Omit<SignInRequest, 'credentials'> & Reaching) => Promise<SignInResult>;

/** What came of a sign-in at one gateway. */
export type GatewayAnswer =
  | SignInResult
  | {
      ok: false;
      failure: 'redirected';
      to: Gateway;
      /** Where the sign-in begins there: path and query. */
      path: string;
    };
