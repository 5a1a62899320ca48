import type { Logger } from 'pino';
import type { Deadline, ReachabilityTarget } from '#shared/helper/protocol.ts';
import type { HostImplementation, SignedOutBy } from '#shared/host/contract.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import type { DisconnectReason, Gateway, TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayRefusal } from './account-plan.ts';
import type { GatewayAddresses } from '../gateway/gateway-addresses.ts';
import { createCaptivePortal } from './captive-portal.ts';
import { createGatewaySessions } from '../gateway/gateway-sessions.ts';
import type { GatewayMemory } from '../gateway/gateway-memory.ts';
import type { SignedIn, SignIn } from '../gateway/session.ts';
import type { PreferencesStore } from '../preferences/preferences.ts';
import type { HelperClient } from './helper-client.ts';
import { createTunnelRecovery } from './tunnel-recovery.ts';
import { createTunnelRequests } from './tunnel-requests.ts';
import { createTunnelSignIn } from './tunnel-sign-in.ts';

/** Brings sign-in and helper together: the host contract's `tunnel` group. */
export interface TunnelController {
  readonly host: HostImplementation['tunnel'];
  /** As it is shown. */
  state(): TunnelState;
  /** What the user's click on Connect does, for what they have set to happen without one. */
  connectTo(address: string): Promise<ConnectReply>;
  /** Signs in ahead to a server of this address; nothing happens if that cannot be done now. */
  prepare(address: string): Promise<void>;
  /** Ends the tunnel for a reason that is not the user's; without one, for what they have set to end it by itself. */
  end(reason: DisconnectReason | undefined): Promise<void>;
  /** The user has signed in to the network: what that kept from connecting is tried again. */
  portalPassed(): void;
  /** The service lists gateways at these hosts. */
  resolveAhead(hosts: readonly string[]): void;
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
  /** Whether this network has a captive portal that is not passed yet. */
  isBehindPortal?: () => Promise<boolean>;
  helper: HelperClient;
  addresses: GatewayAddresses;
  memory: Pick<GatewayMemory, 'listed' | 'setPath'>;
  signIn: SignIn;
  isSignedIn: () => boolean;
  preferences: Pick<PreferencesStore, 'forTunnel' | 'subscribe'>;
  /** What a tunnel should reach on the internet. */
  reachabilityTargets?: () => readonly ReachabilityTarget[];
  /** Why this gateway may not be signed in to; undefined if it may be. */
  refusal(gateway: Gateway, path?: string): Promise<GatewayRefusal | undefined>;
  /** Whether only the networks that this gateway names belong in the tunnel. */
  split?: (gateway: Gateway) => boolean;
  deadline: (gateway: Gateway) => Deadline | undefined;
  emit(state: TunnelState): void;
  /** The user wants this, by whatever there is to press. */
  onCommand?: (command: TunnelCommand) => void;
  /** A session has been handed to the helper. */
  onSession: (signedIn: SignedIn) => void;
  log: Logger;
}

export type TunnelCommand = 'connect' | 'disconnect';

type ConnectReply = Awaited<ReturnType<HostImplementation['tunnel']['connect']>>;
type ConnectError = 'not-listed' | 'not-owner' | 'not-signed-in' | 'unavailable';

export function createTunnelController(options: TunnelControllerOptions): TunnelController {
  const { helper, log } = options;
  /** What is shown instead of the helper's state: before the helper is asked, and why it never was. */
  let local: TunnelState | undefined;
  let told: string | undefined;
  /** The sign-in in progress. At most one runs, and it alone talks to the helper about sessions. */
  let working: AbortController | undefined;
  let latestCommand = 0;
  /** What the user wanted last; undefined once they want nothing. */
  let wanted: { gateway: Gateway; path?: string | undefined } | undefined;

  const portal = createCaptivePortal({
    isThere: options.isBehindPortal ?? (async () => false),
    onChange: tell,
  });
  const sessions = createGatewaySessions({
    ...options,
    isIdle: () => !working && helper.state().state === 'disconnected',
    isOpen() {
      const state = helper.state();
      return (state.state === 'disconnected' || state.state === 'invalid') && !state.blocked;
    },
  });
  const requests = createTunnelRequests(options);
  /** What a connection is made with, and cannot be given later. */
  const wantedResolvers = () => String(options.preferences.forTunnel().ownResolvers ?? '');
  let askedResolvers = wantedResolvers();
  options.preferences.subscribe(async () => {
    await requests.applyPreferences();
    reconnectForResolvers();
  });
  const signIn = createTunnelSignIn({
    ...options,
    requests,
    sessions,
    killSwitch: () => options.preferences.forTunnel().killSwitch,
    refusal: (gateway) => options.refusal(options.memory.listed(gateway)),
    fail,
  });
  const recovery = createTunnelRecovery({
    onRestart: (gateway, attempt) => show({ state: 'connecting', gateway, attempt, phase: 'waiting' }),
    connect: (gateway) =>
      void connect(gateway).then((error) => {
        if (error) fail(error === 'not-listed' ? 'server-removed' : 'helper-restarted');
      }),
    giveUp: () => fail('helper-restarted'),
  });

  function shown(): TunnelState {
    const state = helper.state();
    if (state.state === 'invalid' || state.ownedByOther) return state;
    return portal.explain(withListedGateway(local ?? state));
  }

  /** Users know a gateway by the server that they chose, not by where that redirected to. */
  function withListedGateway(state: TunnelState): TunnelState {
    return 'gateway' in state ? { ...state, gateway: options.memory.listed(state.gateway) } : state;
  }

  /** The sign-in begins at this path from now on; what was prepared at another one is forgotten. */
  function begunAt(gateway: Gateway, path: string): void {
    if (options.memory.setPath(gateway, path)) sessions.drop();
  }

  /** Another user's connection is only looked at. */
  const isOthers = () => helper.state().ownedByOther === true;

  function tell(): void {
    const state = shown();
    if (state.state === 'disconnected' && state.reason !== undefined) portal.consider(state);
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
    // What was shown for a helper that is gone.
    if (state.state === 'invalid' && !working) local = undefined;
    if (state.state === 'connected') signIn.forgetRenewals();
    recovery.follow(withListedGateway(state));
    tell();
    reauthenticateIfWanted();
  });

  /** Runs `work` as the one sign-in in progress; a newer one, or a disconnect, aborts it. */
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
        // Without a helper it is up to the next one.
        if (!mine.signal.aborted && helper.isAttached()) fail('configuration-failed');
      }
      if (working !== mine) return;
      working = undefined;
      // Now that the helper has told its state, nothing needs to be shown in its stead but a failure.
      if (local?.state === 'connecting') show(undefined);
      reauthenticateIfWanted();
    })();
  }

  /** Tells why there is no tunnel, unless there is one after all: then that is the truth. */
  function fail(reason: DisconnectReason): void {
    const truth = helper.state();
    recovery.want(undefined);
    show(truth.state === 'disconnected' ? { ...truth, reason } : undefined);
  }

  /** The helper waits for a session, e.g. because the gateway restarted and refused the one it had. */
  function reauthenticateIfWanted(): void {
    const state = helper.state();
    if (working || isOthers() || !options.isSignedIn() || state.state !== 'connecting') return;
    const { gateway, phase } = state;
    if (phase !== 'authenticating' && phase !== 'resolving') return;
    const isResolved = phase === 'authenticating';
    begin((signal) => signIn.reauthenticate({ gateway, isResolved, signal }));
  }

  /** Why there will be no tunnel, or undefined when it is being made. `path`: where the page wants the sign-in to begin. */
  async function connect(gateway: Gateway, path?: string): Promise<ConnectError | undefined> {
    latestCommand += 1;
    const number = latestCommand;
    await helper.ready;
    if (!options.isSignedIn()) return 'not-signed-in';
    if (!helper.isAttached()) return 'unavailable';
    if (isOthers()) return 'not-owner';
    if ((await options.refusal(gateway, path)) !== undefined) return 'not-listed';
    // The user has wanted something else since.
    if (number !== latestCommand) return undefined;
    if (path !== undefined) begunAt(gateway, path);
    signIn.forgetRenewals();
    askedResolvers = wantedResolvers();
    begin((signal) => {
      show({ state: 'connecting', gateway, attempt: 1, phase: 'authenticating' });
      return signIn.establish(gateway, signal);
    });
    return undefined;
  }

  /** In one step, over which nothing leaves outside the tunnel. */
  function reconnectForResolvers(): void {
    const state = shown();
    if (wantedResolvers() === askedResolvers || state.ownedByOther) return;
    if (state.state === 'connected' || state.state === 'connecting')
      void connect(state.gateway, wanted?.path);
  }

  async function connectTo(address: string): Promise<ConnectReply> {
    const server = parseServerAddress(address);
    if (!server) return { ok: false, error: 'bad-address' };
    recovery.want(undefined);
    wanted = server;
    const error = await connect(server.gateway, server.path);
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
    show(undefined);
  }

  return {
    state: shown,
    connectTo,
    async prepare(address) {
      const server = parseServerAddress(address);
      if (!server || (await options.refusal(server.gateway, server.path)) !== undefined) return;
      begunAt(server.gateway, server.path);
      // Once traffic is blocked, so is every probe.
      portal.consider(helper.state());
      sessions.prepare(server.gateway);
    },
    end: (reason) => disconnect(reason),
    portalPassed() {
      portal.passed();
      if (shown().state !== 'disconnected' || !wanted) return;
      void connect(wanted.gateway, wanted.path);
    },
    resolveAhead: (hosts) => sessions.resolveAhead(hosts),
    host: {
      async connect({ address }) {
        options.onCommand?.('connect');
        return await connectTo(address);
      },
      async disconnect() {
        options.onCommand?.('disconnect');
        await disconnect(undefined);
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
      reauthenticateIfWanted();
    },
    async drop(by) {
      sessions.drop();
      if (by === 'user') {
        options.onCommand?.('disconnect');
        return await disconnect(undefined);
      }
      const { state } = helper.state();
      // What is blocked already stays so.
      if (working || (state !== 'disconnected' && state !== 'invalid')) await disconnect('session-ended');
    },
  };
}
