import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { GatewayFailureCause } from '#node/anyconnect/gateway-tls.ts';
import type { DisconnectReason, Gateway } from '#shared/tunnel/state.ts';

/** Who signs in. */
export interface GatewayCredentials {
  username: string;
  password: string;
}

/** A session, the gateway that issued it, and the address at which that gateway was verified. */
export interface SignedIn {
  /** Differs from the requested one if that one redirected. */
  gateway: Gateway;
  address: string;
  session: GatewaySession;
  /** A text that the gateway wants its users to read. */
  banner?: string;
}

/**
 * `needs-user`: the gateway asks something that only the user can answer, and the user was not there. `needs-group`: it
 * asks for a group, which the user chooses once.
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
      | 'host-scan-required'
      | 'several-certificates-required'
      | 'domain-sign-in-required'
      | 'gateway-too-old'
    >
  | 'needs-user'
  | 'needs-group';

export type SignInResult =
  | { ok: true; signedIn: SignedIn }
  | {
      ok: false;
      failure: SignInFailure;
      /** The gateway's own words about it, for the user. */
      words?: string;
      /** More about it. */
      cause?: GatewayFailureCause;
    };

/** Whether the user is there to answer forms and to sign in by browser; `forms`: a browser could not reach anything. */
export type Interactive = boolean | 'forms';

export interface SignInRequest {
  gateway: Gateway;
  address: string;
  /** It may be at these, too: whichever answers first is the one that is signed in at. */
  otherAddresses?: readonly string[];
  /** The device's credentials; undefined: the user is asked. */
  credentials: GatewayCredentials | undefined;
  /** Asks whether there are newer credentials, which a sign-in from the beginning would use. */
  isRenewed?: (() => Promise<boolean>) | undefined;
  interactive: Interactive;
  /** The gateway has proved who it is, and is asked what it wants to know. Called once at each gateway. */
  onVerified?: (verified: VerifiedGateway) => void;
  signal: AbortSignal;
}

/** What a tunnel needs to know of a gateway besides the session's cookie. */
export type VerifiedGateway = Omit<SignedIn, 'session' | 'banner'> & {
  trust: Omit<GatewaySession, 'cookie'>;
};

interface Reaching {
  /**
   * Makes another gateway reachable while traffic is blocked except to the one that redirected; nothing is sent there
   * before. Resolves with those of its addresses that can be tried side by side, this one first; with none if it is no
   * longer wanted.
   */
  reach?: (gateway: Gateway, address: string) => Promise<readonly string[]>;
}

/** Signs in to `gateway` at one of its addresses, or at the gateway to which it redirects. */
export type SignInWith = (request: SignInRequest & Reaching) => Promise<SignInResult>;

/** The same, with the credentials that the service provides for the gateway. */
export type SignIn = (
  request: Omit<SignInRequest, 'credentials' | 'isRenewed'> & Reaching,
) => Promise<SignInResult>;

/** The result of a sign-in at one gateway. */
export type GatewayAnswer =
  | SignInResult
  | {
      ok: false;
      failure: 'redirected';
      to: Gateway;
      /** Where the sign-in begins: path and query. */
      path: string;
      /** The address at which it says so. */
      from?: string;
    };
