import type { Logger } from 'pino';
import type { HostImplementation, SignedOutBy } from '#shared/host/contract.ts';
import type { ReachabilityTarget } from '#shared/helper/protocol.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import type { DisconnectReason, Gateway, Routing, TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayAddresses } from './gateway-addresses.ts';
import { createGatewaySessions } from './gateway-sessions.ts';
import type { GatewayMemory } from './gateway/gateway-memory.ts';
import type { GatewayCredentials, SignedIn, SignIn } from './gateway/session.ts';
import type { HelperClient } from './helper-client.ts';
import { createTunnelRequests } from './tunnel-requests.ts';
import { createTunnelSignIn } from './tunnel-sign-in.ts';

/** Brings sign-in and helper together: the host contract's `tunnel` group. */
export interface TunnelController {
  readonly host: HostImplementation['tunnel'];
  /** As it is shown. */
  state(): TunnelState;
  /** Routes the connection in another way, and with the kill switch as it is now; rejects if that failed. */
  reroute(routing: Routing): Promise<void>;
  /** Who is signed in has changed. */
  credentialsChanged(): void;
  /**
   * Somebody is signed out: ends the tunnel and forgets every gateway session. Users who sign out are told that this
   * disconnects, and with the service out of reach nobody could sign in again: that opens traffic. Those whom the
   * service signs out have ended nothing: the kill switch holds, and the login page has a way out.
   */
  drop(by: SignedOutBy): Promise<void>;
}

export interface TunnelControllerOptions {
  helper: HelperClient;
  addresses: GatewayAddresses;
  memory: Pick<GatewayMemory, 'listed' | 'setPath'>;
  signIn: SignIn;
  /** Undefined while nobody is signed in. */
  credentials(): GatewayCredentials | undefined;
  routing(): { routing: Routing; killSwitch: boolean };
  /** What a tunnel should reach on the internet. */
  reachabilityTargets?: () => readonly ReachabilityTarget[];
  emit(state: TunnelState): void;
  /** A session has been handed to the helper. */
  onSession: (signedIn: SignedIn) => void;
  log: Logger;
}

export function createTunnelController(options: TunnelControllerOptions): TunnelController {
  const { helper, log } = options;
  /** What is shown instead of the helper's state: before the helper is asked, and why it never was. */
  let local: TunnelState | undefined;
  let told: string | undefined;
  /** The sign-in under way. At most one runs, and it alone talks to the helper about sessions. */
  let working: AbortController | undefined;

  const sessions = createGatewaySessions({
    ...options,
    isIdle: () => helper.state().state === 'disconnected',
  });
  const requests = createTunnelRequests(options);
  const signIn = createTunnelSignIn({
    ...options,
    requests,
    sessions,
    killSwitch: () => options.routing().killSwitch,
    fail,
  });

  function shown(): TunnelState {
    const state = helper.state();
    if (state.state === 'invalid' || state.ownedByOther) return state;
    return withListedGateway(local ?? state);
  }

  /** Users know a gateway by the server that they chose, not by where that redirected to. */
  function withListedGateway(state: TunnelState): TunnelState {
    return 'gateway' in state ? { ...state, gateway: options.memory.listed(state.gateway) } : state;
  }

  /** The gateway that an address names; what was prepared at another path of it is forgotten. */
  function gatewayAt(address: string): Gateway | undefined {
    const server = parseServerAddress(address);
    if (server && options.memory.setPath(server.gateway, server.path)) sessions.drop();
    return server?.gateway;
  }

  /** Another user's connection is only looked at. */
  const isOthers = () => helper.state().ownedByOther === true;

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
    if (state.state === 'connected') signIn.forgetRenewals();
    if (state.state === 'disconnected' && state.reason === undefined) sessions.prepareAgain();
    tell();
    renewIfWanted();
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

  /** The helper waits for a session, e.g. because the gateway restarted and refused the one it had. */
  function renewIfWanted(): void {
    const state = helper.state();
    const credentials = options.credentials();
    if (
      working ||
      isOthers() ||
      !credentials ||
      state.state !== 'connecting' ||
      state.phase !== 'authenticating'
    )
      return;
    begin((signal) => signIn.renew(state.gateway, credentials, signal));
  }

  async function disconnect(reason: DisconnectReason | undefined): Promise<void> {
    working?.abort();
    working = undefined;
    signIn.forgetRenewals();
    await helper.ready;
    try {
      if (helper.isAttached() && !isOthers()) await requests.disconnect(reason);
    } catch (error) {
      log.error({ err: error }, 'the helper could not be asked to disconnect');
    }
    show(undefined);
  }

  return {
    state: shown,
    reroute: (routing) => requests.reroute(routing),
    host: {
      prepare({ address }) {
        const gateway = gatewayAt(address);
        if (gateway) sessions.prepare(gateway);
        return null;
      },
      async connect({ address }) {
        const gateway = gatewayAt(address);
        if (!gateway) return { ok: false, error: 'bad-address' };
        await helper.ready;
        const credentials = options.credentials();
        if (!credentials) return { ok: false, error: 'not-signed-in' };
        if (!helper.isAttached()) return { ok: false, error: 'unavailable' };
        if (isOthers()) return { ok: false, error: 'not-owner' };
        signIn.forgetRenewals();
        begin((signal) => {
          show({ state: 'connecting', gateway, attempt: 1, phase: 'authenticating' });
          return signIn.make(gateway, credentials, signal);
        });
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
      sessions.credentialsChanged();
      renewIfWanted();
    },
    async drop(by) {
      sessions.drop();
      if (by === 'user') return await disconnect(undefined);
      const { state } = helper.state();
      // What is blocked already stays so.
      if (working || (state !== 'disconnected' && state !== 'invalid')) await disconnect('session-ended');
    },
  };
}
