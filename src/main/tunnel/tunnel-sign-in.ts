import { setTimeout as delay } from 'node:timers/promises';
import { pauseAfter } from '#shared/back-off.ts';
import type { DisconnectReason, Gateway } from '#shared/tunnel/state.ts';
import type { GatewayAddresses } from '../gateway/gateway-addresses.ts';
import type { GatewaySessions } from '../gateway/gateway-sessions.ts';
import { isSameGateway } from '../gateway/authority.ts';
import type { Interactive, SignedIn, SignInFailure, SignInResult } from '../gateway/sign-in/session.ts';
import type { GatewayRefusal } from './account-plan.ts';
import type { Destination } from './destination.ts';
import type { HelperClient } from './helper-client.ts';
import type { TunnelRequests } from './tunnel-requests.ts';
import { pauseBeforeSignIn, unreachedBackOff } from './sign-in-pause.ts';

/**
 * Provides the helper with a session for a tunnel. Each method is done when the helper has one, or when it has reported
 * why not, or soon after `signal`, without contacting the helper again.
 */
export interface TunnelSignIn {
  /**
   * For a new tunnel, which the helper does not know yet. `isByUser`: there is somebody who can tell a password for a
   * proxy that wants one.
   */
  establish(destination: Destination, signal: AbortSignal, isByUser?: boolean): Promise<void>;
  /** For a tunnel whose session the gateway refused, or whose app ended before it had an address or a session. */
  reauthenticate(request: {
    destination: Destination;
    isResolved: boolean;
    signal: AbortSignal;
  }): Promise<void>;
  /** Resets the count of renewed sessions: there has been a tunnel, or the user wants another one. */
  forgetRenewals(): void;
  /** The helper has ended, and the tunnel with it: that was no gateway's doing. */
  helperHasEnded(): void;
  /** What was asked for last is there: from now on, a gateway that is out of reach is waited for. */
  tunnelIsUp(): void;
}

export interface TunnelSignInOptions {
  helper: HelperClient;
  requests: TunnelRequests;
  sessions: GatewaySessions;
  addresses: GatewayAddresses;
  killSwitch(): boolean;
  /** Why signing in to this gateway is not allowed; undefined if it is. */
  refusal: (listed: Gateway) => Promise<GatewayRefusal | undefined>;
  /** Reports why there is no tunnel, if the helper has not been asked for one. */
  fail: (reason: DisconnectReason) => void;
  /**
   * The proxy before this gateway does not accept what it was sent: whether the user has entered something else.
   * Nothing has to be reached for that, so that traffic may be blocked meanwhile.
   */
  askForProxy?: ((gateway: Gateway, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Shows what a gateway itself says about a refusal. */
  onWords: (gateway: Gateway, words: string) => void;
}

/**
 * The maximum number of consecutive sign-ins whose sessions the gateway refuses. ocserv refuses a session if an account
 * already has `max-same-clients` connections, with the same message as for an expired session.
 */
const maxRenewals = 4;

export function createTunnelSignIn(options: TunnelSignInOptions): TunnelSignIn {
  const { helper, requests, sessions, addresses, fail } = options;
  /** The pause before the next one grows with these. */
  let renewals = 0;
  /** Those since the helper last ended: of all but the latest, the gateway has taken the session back. */
  let takenBack = 0;
  /** Whether there has been no tunnel yet since one was asked for. */
  let isFirst = false;

  /**
   * With the kill switch on, the user answers forms while the helper blocks traffic, as it does until there is a
   * tunnel. A browser would need more hosts than the gateway, and they are not known beforehand.
   */
  const interactiveWhileBlocked = (): Interactive => (options.killSwitch() ? 'forms' : false);

  /**
   * A sign-in while traffic is blocked: only the gateway that the helper was asked for can be reached, at these
   * addresses.
   */
  function signInPast(to: Destination, first: string, signal: AbortSignal) {
    /** At which the helper has the connection. */
    let at = first;
    const { gateway } = to;
    const beside = requests.signInBeside(gateway, first);
    async function reach(other: Gateway, address: string): Promise<readonly string[]> {
      if (signal.aborted) return [];
      await requests.connect({ ...to, gateway: other }, address);
      at = address;
      const isWanted = !signal.aborted && helper.state().state !== 'invalid';
      return isWanted ? [address, ...requests.signInBeside(other, address)] : [];
    }
    return {
      /** The others that are tried, too. */
      beside,
      run: () =>
        sessions.signIn({
          gateway,
          address: first,
          otherAddresses: beside,
          interactive: interactiveWhileBlocked(),
          reach,
          // The tunnel's own connection is made while the gateway asks its questions.
          onVerified: (verified) => void requests.holdAtSignIn(verified).catch(() => undefined),
          signal,
        }),
      provide: (signedIn: SignedIn) => requests.provide(signedIn, at),
    };
  }

  async function establish(destination: Destination, signal: AbortSignal, isByUser = false) {
    const { gateway } = destination;
    isFirst = true;
    const ahead = sessions.take(gateway);
    if (ahead?.made) return await requests.connectWith(destination, ahead.made);
    let failed: Failed | undefined;
    const needsUser = () => !interactiveWhileBlocked() && sessions.asksUser(gateway);
    const tried = new Set<string>();
    for (;;) {
      if (needsUser()) return await establishWithUser(destination, signal);
      const candidates = tried.size > 0 ? addresses.known(gateway.host) : await findAddresses(destination);
      const address = candidates.find((candidate) => !tried.has(candidate));
      if (signal.aborted) return;
      if (address === undefined) break;
      tried.add(address);
      // Sent before the sign-in, so that nothing leaves outside the tunnel after the click.
      await requests.connect(destination, address);
      // The helper checks again whether it can make tunnels at all; its state says why not.
      if (signal.aborted || helper.state().state === 'invalid') return;
      const signIn = signInPast(destination, address, signal);
      const signedIn = await ahead?.signedIn;
      if (signal.aborted) return;
      const isThere =
        signedIn &&
        isSameGateway(signedIn.gateway, gateway) &&
        [address, ...signIn.beside].includes(signedIn.address);
      if (isThere) return await signIn.provide(signedIn);
      if (signedIn) return await requests.connectWith(destination, signedIn);
      if (needsUser()) return await establishWithUser(destination, signal);
      const result = await signIn.run();
      if (signal.aborted) return;
      if (result.ok) return await signIn.provide(result.signedIn);
      failed = result;
      if (isByUser && (await hasOtherPassword(failed, gateway, signal))) {
        tried.clear();
        continue;
      }
      if (signal.aborted) return;
      if (failed.failure !== 'gateway-unreachable') break;
      for (const other of signIn.beside) tried.add(other);
    }
    if (!failed) return await failUnresolved(gateway);
    // A redirect to a name that cannot be resolved; the user has not asked for blocked traffic in that case.
    const opensTraffic = isForUser(failed.failure) || failed.failure === 'gateway-name-unknown';
    if (opensTraffic && !options.killSwitch()) {
      return await establishWithUser(destination, signal);
    }
    await giveUp(gateway, failed);
  }

  const hasOtherPassword = async ({ cause }: Failed, gateway: Gateway, signal: AbortSignal) =>
    cause === 'proxy-credentials' &&
    (await options.askForProxy?.(gateway, signal)) === true &&
    !signal.aborted;

  /**
   * Nothing leaves after the click, not even the look-up of the gateway's name: names are looked up while the user
   * looks at the list, and an answer to a look-up in progress still arrives. If a tunnel is up, it carries the look-up.
   */
  async function findAddresses(destination: Destination): Promise<string[]> {
    const { host } = destination.gateway;
    const known = addresses.known(host);
    if (known.length > 0) return known;
    if (helper.state().state !== 'connected') await requests.connect(destination, undefined);
    return helper.state().state === 'invalid' ? [] : await addresses.resolve(host);
  }

  async function establishWithUser(destination: Destination, signal: AbortSignal) {
    const { gateway } = destination;
    // While the helper blocks traffic, only the gateway can be reached; a browser, or a mail with a code, needs more.
    await requests.disconnect(undefined);
    if (signal.aborted) return;
    const result = await sessions.signInAnywhere({ gateway, interactive: true, signal });
    if (signal.aborted) return;
    if (!result.ok) {
      tellWords(gateway, result);
      return fail(reasonOf(result, 'sign-in-refused'));
    }
    await requests.connectWith(destination, result.signedIn);
  }

  /** A tunnel that is up stays up; but while traffic is blocked, no name can be resolved. */
  async function failUnresolved({ host }: Gateway): Promise<void> {
    if (helper.state().state !== 'connecting') return fail('gateway-name-unknown');
    await requests.disconnect('gateway-name-unknown');
    // For the next click.
    if (!options.killSwitch()) void addresses.resolve(host);
  }

  async function giveUp(gateway: Gateway, failed: Failed): Promise<void> {
    tellWords(gateway, failed);
    // A tunnel that was up cannot come back without the user, because its session has ended.
    await requests.disconnect(
      reasonOf(failed, options.killSwitch() ? 'browser-sign-in-blocked' : 'session-ended'),
    );
    // Somebody else may be at the addresses that were known; for the next click.
    const isElsewhere = ['gateway-unreachable', 'gateway-certificate-refused'].includes(failed.failure);
    if (isElsewhere && !options.killSwitch()) void addresses.resolve(gateway.host);
  }

  function tellWords(gateway: Gateway, { words }: Pick<Failed, 'words'>): void {
    if (words !== undefined) options.onWords(gateway, words);
  }

  /** Waits until it is known: another user of this machine may have told the helper to connect anywhere. */
  async function refusalOf({ listed }: Destination, signal: AbortSignal) {
    let refused = await options.refusal(listed);
    for (let tries = 1; refused === 'unknown' && !signal.aborted; tries += 1) {
      await pause(pauseAfter(tries, unreachedBackOff), signal);
      refused = await options.refusal(listed);
    }
    return refused === 'unknown' ? undefined : refused;
  }

  const reauthenticate: TunnelSignIn['reauthenticate'] = async (request) => {
    const { destination, signal } = request;
    const { gateway } = destination;
    const refused = await refusalOf(destination, signal);
    if (signal.aborted) return;
    if (refused) return await requests.disconnect(refused);
    if (!request.isResolved) return await establish(destination, signal);
    const last = addresses.remembered(gateway.host) ?? (await addresses.resolve(gateway.host))[0];
    if (last === undefined) return await requests.disconnect('gateway-name-unknown');
    let address = last;
    const tried = new Set<string>();
    for (let rounds = 0; !signal.aborted;) {
      if (tried.size === 0 && renewals + rounds > 0) await pause(pauseBeforeSignIn(renewals, rounds), signal);
      if (signal.aborted) return;
      await requests.tellForSignIn(gateway, address);
      const signIn = signInPast(destination, address, signal);
      const result = await signIn.run();
      if (signal.aborted) return;
      if (result.ok) {
        renewals += 1;
        takenBack += 1;
        if (takenBack > maxRenewals) return await requests.disconnect('too-many-sessions');
        return await signIn.provide(result.signedIn);
      }
      // Whoever has just asked for a tunnel can be asked; once, since the gateway may refuse each session.
      if (isFirst && takenBack === 0 && isForUser(result.failure) && !options.killSwitch()) {
        takenBack += 1;
        return await establishWithUser(destination, signal);
      }
      if (result.failure !== 'gateway-unreachable') return await giveUp(gateway, result);
      for (const one of [address, ...signIn.beside]) tried.add(one);
      const known = addresses.known(gateway.host);
      const next = known.find((one) => !tried.has(one)) ?? (signIn.beside.length > 0 ? address : known[0]);
      if (next === undefined || tried.has(next)) {
        // Where there was a tunnel, it may come back, and the helper blocks traffic until then.
        if (isFirst && !options.killSwitch()) return await giveUp(gateway, result);
        tried.clear();
        rounds += 1;
      }
      if (next === undefined || next === address) continue;
      address = next;
      await requests.connect(destination, address);
    }
  };

  return {
    establish,
    reauthenticate,
    forgetRenewals() {
      renewals = 0;
      takenBack = 0;
    },
    helperHasEnded() {
      takenBack = 0;
    },
    tunnelIsUp() {
      isFirst = false;
    },
  };
}

type Failed = Extract<SignInResult, { ok: false }>;

/** `withoutUser`: the reason if the user was not there to be asked. */
function reasonOf({ failure, cause }: Failed, withoutUser: DisconnectReason): DisconnectReason {
  return isForUser(failure) ? withoutUser : (cause ?? failure);
}

const isForUser = (failure: SignInFailure) => failure === 'needs-user' || failure === 'needs-group';

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  // Ends early if aborted, which the caller checks.
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
