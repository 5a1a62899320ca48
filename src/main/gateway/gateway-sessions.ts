import type { Gateway } from '#shared/tunnel/state.ts';
import type { GatewayAddresses } from './gateway-addresses.ts';
import type { SignedIn, SignIn, SignInFailure, SignInResult } from './sign-in/session.ts';
import { createPreparedSessions, type PreparedOutcome, type PreparedSession } from './prepared-sessions.ts';

/** Signs in to gateways, in advance if that is possible without the user. The helper is not involved. */
export interface GatewaySessions {
  /** Signs in in advance to a gateway that the user may connect to; does nothing if that is not possible now. */
  prepare(gateway: Gateway): void;
  /** Looks up the names of gateways that the user may connect to, one after the other, while traffic flows. */
  resolveAhead(hosts: readonly string[]): void;
  /** The session prepared for this gateway, which may still be in progress; each is returned only once. */
  take(gateway: Gateway): PreparedSession | undefined;
  /** Whether this gateway has asked something that only the user can answer. */
  asksUser(gateway: Gateway): boolean;
  signIn: SignIn;
  /** Signs in at whichever of the gateway's addresses answers first. */
  signInAnywhere(request: SignInAnywhere): Promise<SignInResult>;
  /** Another user, or nobody, is signed in: what was prepared and remembered belongs to the previous one. */
  credentialsChanged(): void;
  /** Drops all sessions. */
  drop(): void;
}

type SignInAnywhere = Omit<Parameters<SignIn>[0], 'address' | 'otherAddresses'>;

export interface GatewaySessionsOptions {
  addresses: GatewayAddresses;
  signIn: SignIn;
  isSignedIn: () => boolean;
  /** Whether a session may be needed soon, and traffic flows. */
  isIdle(): boolean;
  /** The prepared session that a click would use; undefined: none now. */
  onReady?: ((signedIn: SignedIn | undefined) => void) | undefined;
  /** A prepared session is about to be used. */
  onTaken?: (() => void) | undefined;
  /** Whether traffic flows, so that names can be looked up; true before there is a helper, too. */
  isOpen(): boolean;
}

const maxResolvedAhead = 64;

/** Failures that say nothing of what the gateway thinks of the sign-in. */
const unreached: ReadonlySet<SignInFailure> = new Set([
  'gateway-unreachable',
  'gateway-name-unknown',
  'sign-in-cancelled',
]);

export function createGatewaySessions(options: GatewaySessionsOptions): GatewaySessions {
  const { addresses, isSignedIn } = options;
  const prepared = createPreparedSessions(signInAhead, {
    onReady: options.onReady,
    onTaken: options.onTaken,
  });
  /**
   * Hosts that ask the user something, for example a code that they send out; no sign-in in advance should cause that.
   */
  const asking = new Set<string>();

  const signIn: SignIn = async (request) => {
    const result = await options.signIn(request);
    if (result.ok) prepared.accepted(request.gateway);
    const needsUser = !result.ok && result.failure === 'needs-user';
    if (needsUser && !request.signal.aborted) asking.add(request.gateway.host);
    return result;
  };

  async function signInAnywhere(request: SignInAnywhere): Promise<SignInResult> {
    const [address, ...otherAddresses] = await addresses.resolve(request.gateway.host);
    if (address === undefined || request.signal.aborted) return { ok: false, failure: 'gateway-unreachable' };
    return await signIn({ ...request, address, otherAddresses });
  }

  async function signInAhead(gateway: Gateway, signal: AbortSignal): Promise<PreparedOutcome> {
    if (!isSignedIn()) return undefined;
    const result = await signInAnywhere({ gateway, interactive: false, signal });
    if (result.ok) return result.signedIn;
    return unreached.has(result.failure) ? undefined : 'refused';
  }

  function prepare(gateway: Gateway): void {
    if (asking.has(gateway.host)) return;
    if (isSignedIn() && options.isIdle()) prepared.prepare(gateway);
  }

  let isResolving = false;
  async function resolveAhead(hosts: readonly string[]): Promise<void> {
    if (isResolving) return;
    isResolving = true;
    for (const host of hosts.slice(0, maxResolvedAhead)) {
      if (!options.isOpen()) break;
      if (!addresses.isFresh(host)) await addresses.resolve(host);
    }
    isResolving = false;
  }

  return {
    prepare,
    resolveAhead: (hosts) => void resolveAhead(hosts),
    take: (gateway) => prepared.take(gateway),
    asksUser: ({ host }) => asking.has(host),
    signIn,
    signInAnywhere,
    credentialsChanged() {
      prepared.drop();
      asking.clear();
    },
    drop: () => prepared.drop(),
  };
}
