import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import type { DisconnectReason, Gateway, Routing, TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayAddresses } from './gateway-addresses.ts';
import type {
  GatewayCredentials,
  Interactive,
  SignedIn,
  SignIn,
  SignInFailure,
  SignInResult,
} from './gateway/session.ts';
import type { HelperClient } from './helper-client.ts';
import { createPreparedSessions } from './prepared-sessions.ts';

/** Brings sign-in and helper together: the host contract's `tunnel` group. */
export interface TunnelController {
  readonly host: HostImplementation['tunnel'];
  /** As it is shown. */
  state(): TunnelState;
  /** Routes the connection in another way, and with the kill switch as it is now; rejects if that failed. */
  reroute(routing: Routing): Promise<void>;
  /** Who is signed in has changed. */
  credentialsChanged(): void;
  /** Ends the tunnel and forgets every gateway session. */
  drop(): Promise<void>;
}

export interface TunnelControllerOptions {
  helper: HelperClient;
  addresses: GatewayAddresses;
  signIn: SignIn;
  /** Undefined while nobody is signed in. */
  credentials(): GatewayCredentials | undefined;
  routing(): { routing: Routing; killSwitch: boolean };
  emit(state: TunnelState): void;
  log: Logger;
}

/** Sign-ins in a row that did not lead to a tunnel, after which the gateway is believed not to want us. */
const mostRenewals = 6;
const renewalPauseMs = { first: 500, most: 15_000 } as const;

export function createTunnelController(options: TunnelControllerOptions): TunnelController {
  const { helper, addresses, log } = options;
  const prepared = createPreparedSessions(prepareSession);
  /** What is shown instead of the helper's state: before the helper is asked, and why it never was. */
  let local: TunnelState | undefined;
  let told: string | undefined;
  /** The sign-in under way. At most one runs, and it alone talks to the helper about sessions. */
  let working: AbortController | undefined;
  /** Settles when the helper has answered the last request for a connection. */
  let asked: Promise<unknown> = Promise.resolve();
  /** Chosen while there was no helper, which may come back with a connection from before. */
  let unsent: Routing | undefined;
  let renewals = 0;
  let lastPrepared: Gateway | undefined;
  /** Gateways that ask the user something, maybe for a code that they have just sent: not for nobody to read. */
  const asking = new Set<string>();

  function shown(): TunnelState {
    const state = helper.state();
    return state.state === 'invalid' ? state : (local ?? state);
  }

  function tell(): void {
    const state = shown();
    const text = JSON.stringify(state);
    if (text === told) return;
    told = text;
    options.emit(state);
  }

  function show(state: TunnelState | undefined): void {
    local = state;
    tell();
  }

  helper.onState((state) => {
    if (local?.state === 'disconnected') local = undefined;
    if (state.state === 'connected') renewals = 0;
    if (state.state === 'disconnected' && state.reason === undefined && lastPrepared) prepare(lastPrepared);
    tell();
    renewIfWanted();
    if (unsent && state.state !== 'invalid') {
      reroute(unsent).catch((error: unknown) => log.error({ err: error }, 'the routing cannot be changed'));
    }
  });

  /** Runs `work` as the one sign-in under way; a newer one, or a disconnect, aborts it. */
  function begin(work: (signal: AbortSignal) => Promise<void>): void {
    working?.abort();
    const mine = new AbortController();
    working = mine;
    void (async () => {
      try {
        await work(mine.signal);
        if (!mine.signal.aborted) await helper.refresh();
      } catch (error) {
        log.error({ err: error }, 'the helper could not be asked');
        if (!mine.signal.aborted) fail('configuration-failed');
      }
      if (working !== mine) return;
      working = undefined;
      // Now that the helper has told its state, nothing needs to be shown in its stead but a failure.
      if (local?.state === 'connecting') show(undefined);
      renewIfWanted();
    })();
  }

  /** Tells why there is no tunnel, unless there is one after all: then that is the truth. */
  function fail(reason: DisconnectReason): void {
    const truth = helper.state();
    show(truth.state === 'disconnected' ? { ...truth, reason } : undefined);
  }

  async function makeTunnel(gateway: Gateway, credentials: GatewayCredentials, signal: AbortSignal) {
    show({ state: 'connecting', gateway, attempt: 1, phase: 'authenticating' });
    const ahead = prepared.take(gateway);
    if (ahead?.made) return await askHelper(gateway, ahead.made.address, ahead.made);
    const candidates = await addresses.resolve(gateway.host);
    if (signal.aborted) return;
    let result: SignInResult | undefined;
    const interactive = interactiveWhileHeld();
    const needsUser = () => !interactive && asking.has(gateway.host);
    for (const address of candidates) {
      if (needsUser()) return await makeTunnelWithUser(gateway, credentials, signal);
      // Asked before the sign-in, so that nothing leaves outside the tunnel from the click on.
      await askHelper(gateway, address);
      // The helper looks again whether it can make tunnels at all; its state says why not.
      if (signal.aborted || helper.state().state === 'invalid') return;
      const signedIn = await ahead?.signedIn;
      if (signal.aborted) return;
      if (signedIn?.address === address) return await provide(gateway, signedIn);
      if (signedIn) return await askHelper(gateway, signedIn.address, signedIn);
      if (needsUser()) return await makeTunnelWithUser(gateway, credentials, signal);
      result = await options.signIn({ gateway, address, credentials, interactive, signal });
      if (signal.aborted) return;
      if (result.ok || result.failure !== 'gateway-unreachable') break;
    }
    if (!result) return await failUnresolved();
    if (result.ok) return await provide(gateway, result.signedIn);
    if (result.failure !== 'needs-user') return await giveUp(result.failure);
    asking.add(gateway.host);
    await makeTunnelWithUser(gateway, credentials, signal);
  }

  /**
   * With the kill switch on, the user answers forms while the helper holds traffic back, as it then does until
   * there is a tunnel.
   */
  const interactiveWhileHeld = (): Interactive => (options.routing().killSwitch ? 'forms' : false);

  async function makeTunnelWithUser(gateway: Gateway, credentials: GatewayCredentials, signal: AbortSignal) {
    // Only the gateway can be reached while the helper holds traffic back; a browser, or a mail with a code,
    // needs more.
    await helper.call('disconnect', {});
    if (signal.aborted) return;
    const signedIn = await signInAnywhere(gateway, credentials, true, signal);
    if (signal.aborted) return;
    if (!signedIn.ok) return fail(reasonOf(signedIn.failure, 'sign-in-refused'));
    await askHelper(gateway, signedIn.signedIn.address, signedIn.signedIn);
  }

  /** A tunnel that is up stays up; but where traffic is held back, no name will ever be resolved. */
  async function failUnresolved(): Promise<void> {
    if (helper.state().state === 'connecting') await giveUpFor('gateway-name-unknown');
    else fail('gateway-name-unknown');
  }

  async function askHelper(gateway: Gateway, address: string, signedIn?: SignedIn): Promise<void> {
    const session = signedIn && { session: signedIn.session };
    const answer = helper.call('connect', { gateway, address, ...options.routing(), ...session });
    asked = answer.catch(() => undefined);
    await answer;
    addresses.remember(gateway.host, address);
  }

  async function provide(gateway: Gateway, { address, session }: SignedIn): Promise<void> {
    addresses.remember(gateway.host, address);
    try {
      await helper.call('provideSession', { session });
    } catch (error) {
      if (!isWrongState(error)) throw error;
      log.info('the session came too late');
    }
  }

  async function giveUp(failure: SignInFailure): Promise<void> {
    // A tunnel that was up cannot come back without the user: only its session has ended.
    await giveUpFor(reasonOf(failure, 'session-ended'));
  }

  /** Signs in without the helper, at the first of the gateway's addresses that answers. */
  async function signInAnywhere(
    gateway: Gateway,
    credentials: GatewayCredentials,
    interactive: Interactive,
    signal: AbortSignal,
  ): Promise<SignInResult> {
    let result: SignInResult = { ok: false, failure: 'gateway-unreachable' };
    for (const address of await addresses.resolve(gateway.host)) {
      if (signal.aborted) break;
      result = await options.signIn({ gateway, address, credentials, interactive, signal });
      if (result.ok || result.failure !== 'gateway-unreachable') break;
    }
    return result;
  }

  async function prepareSession(gateway: Gateway, signal: AbortSignal): Promise<SignedIn | undefined> {
    const credentials = options.credentials();
    if (!credentials) return undefined;
    const result = await signInAnywhere(gateway, credentials, false, signal);
    if (!result.ok && result.failure === 'needs-user') asking.add(gateway.host);
    return result.ok ? result.signedIn : undefined;
  }

  function prepare(gateway: Gateway): void {
    lastPrepared = gateway;
    if (asking.has(gateway.host)) return;
    if (options.credentials() && helper.state().state === 'disconnected') prepared.prepare(gateway);
  }

  /** The helper waits for a session, e.g. because the gateway restarted and refused the one it had. */
  function renewIfWanted(): void {
    const state = helper.state();
    const credentials = options.credentials();
    if (working || !credentials || state.state !== 'connecting' || state.phase !== 'authenticating') return;
    begin((signal) => renew(state.gateway, credentials, signal));
  }

  async function renew(
    gateway: Gateway,
    credentials: GatewayCredentials,
    signal: AbortSignal,
  ): Promise<void> {
    const address = addresses.remembered(gateway.host) ?? (await addresses.resolve(gateway.host))[0];
    if (address === undefined) return await giveUpFor('gateway-name-unknown');
    for (let tries = 0; !signal.aborted; tries += 1) {
      if (renewals + tries > 0) await pause(renewals + tries, signal);
      if (signal.aborted) return;
      const interactive = interactiveWhileHeld();
      const result = await options.signIn({ gateway, address, credentials, interactive, signal });
      if (signal.aborted) return;
      if (result.ok) {
        renewals += 1;
        if (renewals > mostRenewals) return await giveUpFor('session-ended');
        return await provide(gateway, result.signedIn);
      }
      if (result.failure === 'needs-user') asking.add(gateway.host);
      // A gateway that is out of reach may come back: the helper holds traffic back until it does.
      if (result.failure !== 'gateway-unreachable') return await giveUp(result.failure);
    }
  }

  async function giveUpFor(reason: DisconnectReason): Promise<void> {
    await helper.call('disconnect', { reason });
  }

  async function disconnect(reason: 'trial-ended' | undefined): Promise<void> {
    working?.abort();
    working = undefined;
    renewals = 0;
    await helper.ready;
    try {
      if (helper.isAttached()) await helper.call('disconnect', reason === undefined ? {} : { reason });
    } catch (error) {
      log.error({ err: error }, 'the helper could not be asked to disconnect');
    }
    show(undefined);
  }

  async function reroute(routing: Routing): Promise<void> {
    // A connection that is being asked for was so with the routing before, and cannot be changed yet.
    await asked;
    const { state } = helper.state();
    unsent = state === 'invalid' ? routing : undefined;
    if (state !== 'connecting' && state !== 'connected') return;
    try {
      await helper.call('setRouting', { ...options.routing(), routing });
    } catch (error) {
      // It has ended meanwhile; the next one is made with the new routing.
      if (!isWrongState(error)) throw error;
    }
  }

  return {
    state: shown,
    reroute,
    host: {
      prepare({ address }) {
        const gateway = parseServerAddress(address);
        if (gateway) prepare(gateway);
        return null;
      },
      async connect({ address }) {
        const gateway = parseServerAddress(address);
        if (!gateway) return { ok: false, error: 'bad-address' };
        await helper.ready;
        const credentials = options.credentials();
        if (!credentials) return { ok: false, error: 'not-signed-in' };
        if (!helper.isAttached()) return { ok: false, error: 'unavailable' };
        renewals = 0;
        begin((signal) => makeTunnel(gateway, credentials, signal));
        return { ok: true };
      },
      async disconnect({ reason }) {
        await disconnect(reason);
        return null;
      },
      async snapshot() {
        await helper.ready;
        return shown();
      },
      async statistics() {
        if (helper.state().state !== 'connected') return null;
        try {
          return await helper.call('statistics', {});
        } catch {
          return null;
        }
      },
    },
    credentialsChanged() {
      prepared.drop();
      asking.clear();
      if (lastPrepared) prepare(lastPrepared);
      renewIfWanted();
    },
    async drop() {
      prepared.drop();
      lastPrepared = undefined;
      await disconnect(undefined);
    },
  };
}

function isWrongState(error: unknown): boolean {
  return error instanceof ResponseError && error.code === helperError.wrongState;
}

/** `withoutUser`: what it means here that the user was not there to be asked. */
function reasonOf(failure: SignInFailure, withoutUser: DisconnectReason): DisconnectReason {
  return failure === 'needs-user' ? withoutUser : failure;
}

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const milliseconds = Math.min(renewalPauseMs.first * 2 ** (failures - 1), renewalPauseMs.most);
  // Ends early when aborted, which the caller looks at.
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
