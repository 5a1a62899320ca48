import type { Logger } from 'pino';
import type { Deadline, ReachabilityTarget } from '#shared/helper/protocol.ts';
import type { SignedOutBy } from '#shared/host/common-contract.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import { isWithoutHelper } from '#shared/tunnel/look.ts';
import type { DisconnectReason, Gateway, TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayRefusal } from './account-plan.ts';
import { startWatch } from '../after-time.ts';
import type { GatewayAddresses } from '../gateway/gateway-addresses.ts';
import { refreshAddresses } from './address-refresh.ts';
import { createGatewaySessions } from '../gateway/gateway-sessions.ts';
import type { GatewayMemory } from '../gateway/gateway-memory.ts';
import type { SignedIn, SignIn } from '../gateway/sign-in/session.ts';
import type { PreferencesStore, WantedTunnel } from '../preferences/preferences.ts';
import {
  wantedAddress,
  wantedServer,
  type AddressedServer,
  type Destination,
  type Destinations,
  type WantedServer,
} from './destination.ts';
import type { HelperClient } from './helper-client.ts';
import { createShownState } from './shown-state.ts';
import { createHoldWhileLooking, type HoldWhileLookingOptions } from './hold-while-looking.ts';
import { createTunnelRecovery } from './tunnel-recovery.ts';
import { createTunnelRequests, type TunnelRequestsOptions } from './tunnel-requests.ts';
import { createTunnelSignIn, type TunnelSignInOptions } from './tunnel-sign-in.ts';

/** Connects sign-in and helper: the host contract's `tunnel` group. */
export interface TunnelController {
  readonly host: HostImplementation['tunnel'];
  /** The displayed state. */
  state(): TunnelState;
  /** Does the same as a click on Connect; `isByUser`: they have clicked, in whichever part of the app. */
  connectTo(server: AddressedServer, options?: { isByUser?: boolean }): Promise<ConnectReply>;
  /** Signs in in advance to the server at this address; does nothing if that is not possible now. */
  prepare(address: string): Promise<void>;
  /**
   * Ends the tunnel for a reason other than the user; without a reason, because the user has set it to end
   * automatically.
   */
  end(reason: DisconnectReason | undefined): Promise<void>;
  /** The user has signed in to the network: a connection that failed because of that is tried again. */
  portalPassed(): void;
  /** Connects again to what the user last connected to, unless they have disconnected, or there is a tunnel. */
  comeBack(): void;
  /** The user has looked for a captive portal. */
  portalFound(isThere: boolean): void;
  /** What the service says about the user's plan may have changed. */
  planChanged(): void;
  /** The user sees another page, or the computer is on another network. */
  viewChanged(): void;
  /** The service lists gateways at these hosts. */
  resolveAhead(hosts: readonly string[]): void;
  /** Another user, or nobody, is signed in now. */
  credentialsChanged(): void;
  /**
   * Ends the tunnel and drops all gateway sessions after a sign-out. Users who sign out are told that this disconnects;
   * it unblocks traffic, because otherwise nobody could sign in again without reaching the service. If the service
   * ended the session, the user has not: the kill switch stays, and the login page can unblock traffic.
   */
  drop(by: SignedOutBy): Promise<void>;
  /** The app ends, or does not after all. Until then nothing is connected, not even what was asked for just before. */
  setLeaving(isLeaving: boolean): void;
}

export interface TunnelControllerOptions {
  /** Whether this network has a captive portal that has not been passed yet. */
  isBehindPortal?: () => Promise<boolean>;
  helper: HelperClient;
  addresses: GatewayAddresses;
  /** The proxy that leads to this host, at the addresses in `addresses`. */
  proxyTo?: TunnelRequestsOptions['proxyTo'];
  isProxyRefused?: TunnelRequestsOptions['isProxyRefused'];
  /** See `HoldWhileLookingOptions`; absent: nobody sees any page. */
  isPageInView?: HoldWhileLookingOptions['isPageInView'];
  isMetered?: HoldWhileLookingOptions['isMetered'];
  memory: Pick<GatewayMemory, 'setPath'>;
  signIn: SignIn;
  isSignedIn: () => boolean;
  preferences: Pick<PreferencesStore, 'forTunnel' | 'subscribe'>;
  /** Internet hosts that a tunnel should be able to reach. */
  reachabilityTargets?: () => readonly ReachabilityTarget[];
  /** Why signing in to this gateway is not allowed; undefined if it is. */
  refusal(gateway: Gateway, path?: string): Promise<GatewayRefusal | undefined>;
  /** What a user who connects has to say before traffic is blocked; nobody may be there when the app does it. */
  beforeSignIn?: (gateway: Gateway, signal: AbortSignal) => Promise<void>;
  askForProxy?: TunnelSignInOptions['askForProxy'];
  destinations: Destinations;
  deadline: (destination: Destination) => Deadline | undefined;
  /** Whether it is known that the user may use a server now. */
  hasPlan?: () => boolean;
  emit(state: TunnelState): void;
  /** The user has given this command, in any part of the app. */
  onCommand?: (command: TunnelCommand) => void;
  /** A session has been passed to the helper. */
  onSession: (signedIn: SignedIn) => void;
  /** A gateway has refused a sign-in with these words. */
  onWords: (gateway: Gateway, words: string) => void;
  log: Logger;
}

/**
 * After a tunnel has lasted so long, its next sign-ins are counted from the beginning. A gateway may end each session
 * soon after it has granted it: some do so where two devices of an account take turns to be the only one.
 */
const steadyMs = 60_000;

export type TunnelCommand = 'connect' | 'disconnect';

type ConnectReply = Awaited<ReturnType<HostImplementation['tunnel']['connect']>>;
type ConnectError = 'not-listed' | 'not-owner' | 'not-signed-in' | 'unavailable';

export function createTunnelController(options: TunnelControllerOptions): TunnelController {
  const { helper, destinations, log } = options;
  /** The sign-in in progress. At most one runs, and only that one talks to the helper about sessions. */
  let working: AbortController | undefined;
  let latestCommand = 0;
  let isLeaving = false;
  /** What the user last connected to; undefined after a disconnect. */
  let wanted: WantedServer | undefined;

  const shown = createShownState({
    ...options,
    isBehindPortal: options.isBehindPortal ?? (async () => false),
  });
  const { portal } = shown;
  const requests = createTunnelRequests(options);
  const held = createHoldWhileLooking({
    isPageInView: () => false,
    isMetered: async () => false,
    ...options,
    requests,
  });
  const sessions = createGatewaySessions({
    ...options,
    onReady: (signedIn) => held.setSession(signedIn),
    onTaken: () => held.leaveToClick(),
    isIdle: () => !working && helper.state().state === 'disconnected',
    isOpen() {
      const state = helper.state();
      return (state.state === 'disconnected' || state.state === 'invalid') && !state.blocked;
    },
  });
  refreshAddresses({ ...options, requests });
  /** Resolvers can only be set when a connection is established. */
  const resolversOf = ({ ownResolvers = [] }: WantedTunnel) => ownResolvers.join();
  let askedResolvers = resolversOf(options.preferences.forTunnel());
  options.preferences.subscribe(async (wantedTunnel) => {
    await requests.change(wantedTunnel);
    if (resolversOf(wantedTunnel) !== askedResolvers) await reconnect();
  });
  const signIn = createTunnelSignIn({
    ...options,
    requests,
    sessions,
    killSwitch: () => options.preferences.forTunnel().killSwitch,
    fail,
  });
  const recovery = createTunnelRecovery({
    onRestart: (gateway, attempt) => shown.show({ state: 'connecting', gateway, attempt, phase: 'waiting' }),
    connect: (gateway) =>
      void connect(destinations.wantedAt(gateway)).then((error) => {
        if (error) fail(error === 'not-listed' ? 'server-removed' : 'helper-restarted');
      }),
    giveUp: () => fail('helper-restarted'),
  });

  /** The sign-in begins at this path from now on; sessions that were prepared at another path are dropped. */
  function begunAt(gateway: Gateway, path: string): void {
    if (options.memory.setPath(gateway, path)) sessions.drop();
  }

  /** How long there has been a tunnel, also if the computer slept; undefined while there is none. */
  let upMs: (() => number) | undefined;

  /** Another user's connection is only displayed. */
  const isOthers = () => helper.state().ownedByOther === true;

  helper.onState((state) => {
    shown.followHelper(state, working !== undefined);
    if (state.state === 'connected') upMs ??= startWatch();
    else {
      if (upMs && upMs() >= steadyMs) signIn.forgetRenewals();
      upMs = undefined;
    }
    if (isWithoutHelper(state)) signIn.helperHasEnded();
    noteTunnel();
    recovery.follow(shown.withListedGateway(state));
    shown.tell();
    reauthenticateIfWanted();
  });

  /** One that is up while another one is being asked for says nothing of that. */
  function noteTunnel(): void {
    if (!working && helper.state().state === 'connected') signIn.tunnelIsUp();
  }

  /** Runs `work` as the only sign-in in progress; a newer one, or a disconnect, aborts it. */
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
        // Without a helper, the next helper takes over.
        if (!mine.signal.aborted && helper.isAttached()) fail('configuration-failed');
      }
      if (working !== mine) return;
      working = undefined;
      noteTunnel();
      // The helper has reported its state, so only a failure has to be displayed instead of it.
      if (shown.isConnecting()) shown.show(undefined);
      reauthenticateIfWanted();
    })();
  }

  /** Displays why there is no tunnel, unless there is one after all. */
  function fail(reason: DisconnectReason): void {
    const truth = helper.state();
    recovery.want(undefined);
    shown.show(truth.state === 'disconnected' ? { ...truth, reason } : undefined);
  }

  /** The helper waits for a session, e.g. because the gateway restarted and refused the earlier one. */
  function reauthenticateIfWanted(): void {
    const state = helper.state();
    if (working || isOthers() || !options.isSignedIn() || state.state !== 'connecting') return;
    const { gateway, phase } = state;
    if (phase !== 'authenticating' && phase !== 'resolving') return;
    const isResolved = phase === 'authenticating';
    const destination = destinations.at(gateway);
    begin((signal) => signIn.reauthenticate({ destination, isResolved, signal }));
  }

  /**
   * Why there will be no tunnel, or undefined if connecting has started. `isByUser`: who can be asked something.
   */
  async function connect(to: WantedServer, isByUser = false): Promise<ConnectError | undefined> {
    const { gateway, path } = to;
    if (isLeaving) return 'unavailable';
    latestCommand += 1;
    const number = latestCommand;
    await helper.ready;
    if (!options.isSignedIn()) return 'not-signed-in';
    if (!helper.isAttached()) return 'unavailable';
    if (isOthers()) return 'not-owner';
    if ((await options.refusal(gateway, path)) !== undefined) return 'not-listed';
    // The user has given another command since.
    if (number !== latestCommand) return undefined;
    if (path !== undefined) begunAt(gateway, path);
    signIn.forgetRenewals();
    askedResolvers = resolversOf(options.preferences.forTunnel());
    destinations.begin(to);
    begin(async (signal) => {
      shown.show({ state: 'connecting', gateway, attempt: 1, phase: 'authenticating' });
      if (isByUser) await options.beforeSignIn?.(gateway, signal);
      if (!signal.aborted) await signIn.establish(destinations.at(gateway), signal, isByUser);
    });
    return undefined;
  }

  /** In one step, during which nothing leaves outside the tunnel. Rejects if that connection cannot be begun. */
  async function reconnect(): Promise<void> {
    const state = shown.get();
    if (state.ownedByOther) return;
    if (state.state !== 'connected' && state.state !== 'connecting') return;
    const error = await connect(destinations.wantedAt(state.gateway));
    if (error) throw new Error(`no new connection for other resolvers: ${error}`);
  }

  async function connectTo(to: WantedServer | undefined, isByUser: boolean): Promise<ConnectReply> {
    if (isByUser) options.onCommand?.('connect');
    if (!to) return { ok: false, error: 'bad-address' };
    recovery.want(undefined);
    wanted = to;
    const error = await connect(to, isByUser);
    return error ? { ok: false, error } : { ok: true };
  }

  async function disconnect(reason: DisconnectReason | undefined): Promise<void> {
    latestCommand += 1;
    working?.abort();
    working = undefined;
    wanted = undefined;
    recovery.want(undefined);
    signIn.forgetRenewals();
    await helper.ready;
    try {
      if (helper.isAttached() && !isOthers()) await requests.disconnect(reason);
    } catch (error) {
      log.error({ err: error }, 'the helper could not be asked to disconnect');
    }
    shown.show(undefined);
  }

  function comeBack(): void {
    if (shown.get().state !== 'disconnected' || !wanted) return;
    void connect(wanted);
  }

  return {
    state: () => shown.get(),
    connectTo: (server, { isByUser = false } = {}) => connectTo(wantedServer(server), isByUser),
    async prepare(address) {
      const server = parseServerAddress(address);
      if (!server || (await options.refusal(server.gateway, server.path)) !== undefined) return;
      begunAt(server.gateway, server.path);
      // Once traffic is blocked, probes are, too.
      portal.consider(helper.state());
      sessions.prepare(server.gateway);
    },
    end: (reason) => disconnect(reason),
    planChanged() {
      if (options.hasPlan?.()) shown.planRenewed();
      shown.tell();
    },
    portalPassed() {
      portal.look(false);
      comeBack();
    },
    comeBack,
    portalFound: (isThere) => portal.look(isThere),
    resolveAhead: (hosts) => sessions.resolveAhead(hosts),
    viewChanged: () => held.review(),
    host: {
      connect: ({ address, serverId }) => connectTo(wantedAddress(address, serverId), true),
      async disconnect() {
        options.onCommand?.('disconnect');
        await disconnect(undefined);
        return null;
      },
      async snapshot() {
        await helper.ready;
        return shown.get();
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
      const state = shown.get();
      // Those that the gateway has refused are others by now.
      if (!working && state.state === 'disconnected' && state.reason === 'sign-in-refused') {
        const { reason: _, ...rest } = state;
        shown.show(rest);
      }
      reauthenticateIfWanted();
    },
    async drop(by) {
      sessions.drop();
      if (by === 'user') {
        options.onCommand?.('disconnect');
        return await disconnect(undefined);
      }
      latestCommand += 1;
      const { state } = helper.state();
      // What is already blocked stays blocked.
      if (working || (state !== 'disconnected' && state !== 'invalid')) await disconnect('session-ended');
    },
    setLeaving(now) {
      isLeaving = now;
      latestCommand += 1;
    },
  };
}
