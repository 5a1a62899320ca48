import { setTimeout as delay } from 'node:timers/promises';
import type { DisconnectReason, Gateway } from '#shared/tunnel/state.ts';
import type { GatewayAddresses } from './gateway-addresses.ts';
import type { GatewaySessions } from './gateway-sessions.ts';
import { isSameGateway } from './gateway/authority.ts';
import type { GatewayCredentials, Interactive, SignInFailure, SignInResult } from './gateway/session.ts';
import type { HelperClient } from './helper-client.ts';
import type { TunnelRequests } from './tunnel-requests.ts';

/**
 * Gets the helper a session for a tunnel. Each is over when the helper has one, or why there is none has been told;
 * or soon after `signal`, without touching the helper any more.
 */
export interface TunnelSignIn {
  /** For a new tunnel, of which the helper does not know yet. */
  make(gateway: Gateway, credentials: GatewayCredentials, signal: AbortSignal): Promise<void>;
  /** For a tunnel whose session the gateway refused, or that lost its app before it had one. */
  renew(gateway: Gateway, credentials: GatewayCredentials, signal: AbortSignal): Promise<void>;
  /** What was renewed before does not count any more: there has been a tunnel, or the user wants another. */
  forgetRenewals(): void;
}

export interface TunnelSignInOptions {
  helper: HelperClient;
  requests: TunnelRequests;
  sessions: GatewaySessions;
  addresses: GatewayAddresses;
  killSwitch(): boolean;
  /** Tells why there is no tunnel where the helper has not been asked for one. */
  fail: (reason: DisconnectReason) => void;
}

/** Sign-ins in a row that did not lead to a tunnel, after which the gateway is believed not to want us. */
const mostRenewals = 6;
const renewalPauseMs = { first: 500, most: 15_000 } as const;

export function createTunnelSignIn(options: TunnelSignInOptions): TunnelSignIn {
  const { helper, requests, sessions, addresses, fail } = options;
  let renewals = 0;

  /**
   * With the kill switch on, the user answers forms while the helper holds traffic back, as it then does until
   * there is a tunnel.
   */
  const interactiveWhileHeld = (): Interactive => (options.killSwitch() ? 'forms' : false);

  /** While traffic is blocked, nothing but the gateway that the helper knows of can be reached. */
  const reachFor = (signal: AbortSignal) => async (gateway: Gateway, address: string) => {
    if (signal.aborted) return false;
    await requests.connect(gateway, address);
    return !signal.aborted && helper.state().state !== 'invalid';
  };

  async function make(gateway: Gateway, credentials: GatewayCredentials, signal: AbortSignal): Promise<void> {
    const ahead = sessions.take(gateway);
    if (ahead?.made) return await requests.connectWith(ahead.made);
    const candidates = await addresses.resolve(gateway.host);
    if (signal.aborted) return;
    let result: SignInResult | undefined;
    const interactive = interactiveWhileHeld();
    const needsUser = () => !interactive && sessions.asksUser(gateway);
    for (const address of candidates) {
      if (needsUser()) return await makeWithUser(gateway, credentials, signal);
      // Asked before the sign-in, so that nothing leaves outside the tunnel from the click on.
      await requests.connect(gateway, address);
      // The helper looks again whether it can make tunnels at all; its state says why not.
      if (signal.aborted || helper.state().state === 'invalid') return;
      const signedIn = await ahead?.signedIn;
      if (signal.aborted) return;
      if (signedIn && isSameGateway(signedIn.gateway, gateway) && signedIn.address === address) {
        return await requests.provide(signedIn);
      }
      if (signedIn) return await requests.connectWith(signedIn);
      if (needsUser()) return await makeWithUser(gateway, credentials, signal);
      const reach = reachFor(signal);
      result = await sessions.signIn({ gateway, address, credentials, interactive, reach, signal });
      if (signal.aborted) return;
      if (result.ok || result.failure !== 'gateway-unreachable') break;
    }
    if (!result) return await failUnresolved();
    if (result.ok) return await requests.provide(result.signedIn);
    if (isForUser(result.failure)) return await makeWithUser(gateway, credentials, signal);
    // Redirected to a name that no resolver in reach knows; nobody asked for traffic to stay blocked.
    if (result.failure === 'gateway-name-unknown' && !options.killSwitch()) {
      return await makeWithUser(gateway, credentials, signal);
    }
    await giveUp(result.failure);
  }

  async function makeWithUser(gateway: Gateway, credentials: GatewayCredentials, signal: AbortSignal) {
    // Only the gateway can be reached while the helper holds traffic back; a browser, or a mail with a code,
    // needs more.
    await requests.disconnect(undefined);
    if (signal.aborted) return;
    const result = await sessions.signInAnywhere({ gateway, credentials, interactive: true, signal });
    if (signal.aborted) return;
    if (!result.ok) return fail(reasonOf(result.failure, 'sign-in-refused'));
    await requests.connectWith(result.signedIn);
  }

  /** A tunnel that is up stays up; but where traffic is held back, no name will ever be resolved. */
  async function failUnresolved(): Promise<void> {
    if (helper.state().state === 'connecting') await requests.disconnect('gateway-name-unknown');
    else fail('gateway-name-unknown');
  }

  async function giveUp(failure: SignInFailure): Promise<void> {
    // A tunnel that was up cannot come back without the user: only its session has ended.
    await requests.disconnect(reasonOf(failure, 'session-ended'));
  }

  async function renew(gateway: Gateway, credentials: GatewayCredentials, signal: AbortSignal) {
    const address = addresses.remembered(gateway.host) ?? (await addresses.resolve(gateway.host))[0];
    if (address === undefined) return await requests.disconnect('gateway-name-unknown');
    for (let tries = 0; !signal.aborted; tries += 1) {
      if (renewals + tries > 0) await pause(renewals + tries, signal);
      if (signal.aborted) return;
      const interactive = interactiveWhileHeld();
      const reach = reachFor(signal);
      const result = await sessions.signIn({ gateway, address, credentials, interactive, reach, signal });
      if (signal.aborted) return;
      if (result.ok) {
        renewals += 1;
        if (renewals > mostRenewals) return await requests.disconnect('session-ended');
        return await requests.provide(result.signedIn);
      }
      // A gateway that is out of reach may come back: the helper holds traffic back until it does.
      if (result.failure !== 'gateway-unreachable') return await giveUp(result.failure);
    }
  }

  return {
    make,
    renew,
    forgetRenewals() {
      renewals = 0;
    },
  };
}

/** `withoutUser`: what it means here that the user was not there to be asked. */
function reasonOf(failure: SignInFailure, withoutUser: DisconnectReason): DisconnectReason {
  return isForUser(failure) ? withoutUser : failure;
}

const isForUser = (failure: SignInFailure) => failure === 'needs-user' || failure === 'needs-group';

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const milliseconds = Math.min(renewalPauseMs.first * 2 ** (failures - 1), renewalPauseMs.most);
  // Ends early when aborted, which the caller looks at.
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
