import type { Logger } from 'pino';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import { serverAddress } from '#shared/tunnel/address.ts';
import type { Say } from '#shared/texts/say.ts';
import type { DisconnectReason, Gateway, TunnelState } from '#shared/tunnel/state.ts';
import { addressesThroughNat64 } from '../gateway/addresses-through-nat64.ts';
import { createGateways, type Gateways } from '../gateway/gateways.ts';
import { createGatewayLatencies } from '../gateway/latency.ts';
import type { ServiceFetch } from '../http-fetch.ts';
import { createListeners } from '../listeners.ts';
import type { Settings } from '../preferences/settings.ts';
import { syncWithTunnel } from '../system-proxy/sync-with-tunnel.ts';
import { connectPath } from '../page/page-address.ts';
import { createSystemProxy } from '../system-proxy/system-proxy.ts';
import { portalAddress, probePortal } from '../tunnel/captive-portal.ts';
import { connectPastBlock } from '../tunnel/connect-past-block.ts';
import { createDestinations } from '../tunnel/destination.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';
import { createPlanGuard } from '../tunnel/plan-guard.ts';
import { createPortalSignIn } from '../tunnel/portal-sign-in.ts';
import { createServiceAddresses } from '../tunnel/service-addresses.ts';
import { createSessionPreparation } from '../tunnel/session-preparation.ts';
import {
  createTunnelController,
  type TunnelCommand,
  type TunnelController,
} from '../tunnel/tunnel-controller.ts';
import { createWorldAddress } from '../tunnel/world-address.ts';
import { addressesThroughProxy } from '../way-out/addresses-through-proxy.ts';
import type { CallForUser } from '../session/call-for-user.ts';
import { callsThroughProxy } from '../way-out/calls-through-proxy.ts';
import { gatewayByWays } from '../way-out/connect-by-ways.ts';
import { createProxyQuestions } from '../way-out/proxy-questions.ts';
import { hostOf } from '../way-out/way-out-to.ts';
import type { WaysOut } from '../way-out/ways-out.ts';
import type { Core } from './core.ts';
import type { CoreAccount } from './core-account.ts';
import type { CoreOptions } from './core-options.ts';
import type { CorePreferences } from './core-preferences.ts';

/** The tunnel, with the gateways at its other end and everything that is done around it. */
export interface CoreTunnel extends Pick<
  Core,
  | 'onTunnelState'
  | 'onTunnelCommand'
  | 'onGatewayForm'
  | 'onLatency'
  | 'latencyMeter'
  | 'worldAddress'
  | 'portalAddress'
  | 'portal'
  | 'userIsHere'
  | 'setPageInView'
> {
  tunnel: TunnelController;
  gateways: Gateways;
  callForUser: CallForUser;
  askProxyPassword: Core['askProxyPassword'];
  close(): void;
}

export interface CoreTunnelOptions extends Pick<
  CoreOptions,
  | 'environment'
  | 'version'
  | 'keychain'
  | 'networks'
  | 'openBrowser'
  | 'openPortalWindow'
  | 'runProgram'
  | 'session'
> {
  settings: Settings;
  serviceFetch: ServiceFetch;
  ways: WaysOut;
  /** Whether traffic flows outside a tunnel. */
  isOpen: () => boolean;
  /** Whether the service is reached through the tunnel. */
  isInsideTunnel: () => boolean;
  say: Say;
  account: Pick<CoreAccount, 'client' | 'clock' | 'isSignedIn' | 'session' | 'plan' | 'onSignOut'>;
  choices: Pick<CorePreferences, 'preferences' | 'server'>;
  helper: HelperClient;
  log: Logger;
}

export function createCoreTunnel(options: CoreTunnelOptions): CoreTunnel {
  const { environment, version, settings, helper, ways, isOpen, log } = options;
  const { client, clock, isSignedIn, session, plan } = options.account;
  const { preferences, server } = options.choices;
  const { apiUrl, helperSocket: socketPath } = environment;
  const states = createListeners<TunnelState>();
  const commands = createListeners<TunnelCommand>();
  const forms = createListeners<GatewayForm | null>();
  const latencies = createListeners<ServerLatency>();
  const credentialChanges = createListeners<void>();
  const planEnds = createListeners<DisconnectReason>();

  const gateways = createGateways({
    settings,
    keychain: options.keychain,
    client,
    session: () => session.credentials(),
    connect: gatewayByWays(ways, connectPastBlock({ state: () => helper.state(), socketPath, version, log })),
    addressesBy: (own) => addressesThroughProxy(addressesThroughNat64(own, { isOpen }), ways),
    openBrowser: options.openBrowser,
    onForm: (form) => forms.emit(form),
    credentialsChanged: () => credentialChanges.emit(),
    log,
  });
  const { addresses, memory, logins } = gateways;
  const questions = createProxyQuestions({
    ways,
    askUser: gateways.forms.ask,
    isBusy: gateways.forms.isWaiting,
    say: options.say,
  });
  ways.onRefused((way) => void questions.consider(way));
  let lastGateway: Gateway | undefined;
  const destinations = createDestinations({ memory, plan });
  const planGuard = createPlanGuard({
    plan,
    helper,
    clock,
    destinations,
    end: (reason) => planEnds.emit(reason),
    log,
  });
  let pageInView: string | undefined;
  const portalAt = portalAddress(apiUrl);
  const serviceAddresses = createServiceAddresses(apiUrl);
  const systemProxy = createSystemProxy({ settings, run: options.runProgram, env: options.session, log });
  const syncProxy = syncWithTunnel(systemProxy, () => settings.get('killSwitch'));
  const tunnel = createTunnelController({
    helper,
    addresses,
    proxyTo: (host) => ways.to(host),
    isProxyRefused(host) {
      const way = ways.to(host);
      return way !== undefined && ways.isRefused(way);
    },
    isPageInView: () => pageInView === connectPath,
    isMetered: async () => (await options.networks?.isMetered()) === true,
    memory,
    signIn: gateways.signIn,
    onSession: gateways.onSession,
    onWords: gateways.onWords,
    isSignedIn,
    async refusal(gateway, path) {
      const refused = await plan.refusal(gateway, path);
      if (refused !== undefined) return refused;
      // Done before traffic is blocked, because then nothing else can be reached.
      await Promise.all([logins.find(memory.listed(gateway)), ways.learn([gateway.host])]);
      return undefined;
    },
    async beforeSignIn({ host }, signal) {
      const way = ways.to(host);
      if (way && ways.isRefused(way)) await questions.ask(way, signal);
    },
    async askForProxy({ host }) {
      const way = ways.to(host);
      // Once for one click: who was asked before it and has not answered is not asked again.
      if (way && ways.isRefused(way)) await questions.consider(way);
      const now = ways.to(host);
      return now !== undefined && !ways.isRefused(now);
    },
    destinations,
    deadline: (destination) => planGuard.deadline(destination),
    hasPlan: () => plan.hasPlan(),
    preferences,
    isBehindPortal: async () => (await probePortal(portalAt)) === 'portal',
    reachabilityTargets: () => serviceAddresses.targets(),
    onCommand: (command) => commands.emit(command),
    emit(state) {
      states.emit(state);
      void syncProxy(state);
      if (state.state === 'disconnected') void ways.refresh();
      if (state.state === 'connecting') lastGateway = state.gateway;
      if (state.state === 'disconnected' && state.reason === 'proxy-credentials') {
        const way = lastGateway && ways.to(lastGateway.host);
        if (way) ways.refused(way);
      }
      if (state.state === 'connected' && state.terms?.message !== undefined && !state.ownedByOther)
        gateways.onMessage(state.gateway, state.terms.message);
      if (state.state === 'disconnected' || state.state === 'connected') void serviceAddresses.refresh();
    },
    log,
  });
  options.networks?.onChange(() => tunnel.viewChanged());
  credentialChanges.add(() => tunnel.credentialsChanged());
  planEnds.add((reason) => void tunnel.end(reason));
  const preparation = createSessionPreparation({
    address() {
      // Nothing is known about an account that has just signed in; once it is, this runs again.
      if (!plan.isKnown()) void plan.refresh();
      const chosen = server.server();
      return chosen && serverAddress(chosen);
    },
    // The displayed state: after the click, nothing is looked up, even if the helper does not know of it yet.
    state: () => tunnel.state(),
    isSignedIn,
    prepare: (address) => void tunnel.prepare(address),
  });

  /** A click on Connect is likely and should not have to wait for a look-up, because it blocks traffic. */
  function userIsHere(): void {
    const chosen = server.server();
    const hosts = chosen ? [chosen.domain, ...plan.hosts()] : plan.hosts();
    void ways.refresh().then(() => ways.learn(hosts));
    tunnel.resolveAhead(hosts);
    preparation.userIsHere();
  }

  session.onChange(({ signedIn }) => {
    tunnel.credentialsChanged();
    if (signedIn) userIsHere();
  });
  options.account.onSignOut(async (by) => {
    await Promise.all([gateways.forgetUser(), tunnel.drop(by)]);
  });
  states.add((state) => {
    if (state.state === 'disconnected' && state.reason === undefined) userIsHere();
    else preparation.check();
  });
  server.onChange((id) => {
    if (id !== undefined) userIsHere();
  });
  plan.onChange(() => {
    void logins.refresh();
    tunnel.planChanged();
    tunnel.resolveAhead(plan.hosts());
    preparation.check();
  });
  // Even if nothing changes any more: an earlier run may have left the desktop's proxy set.
  void helper.ready.then(() => syncProxy(tunnel.state()));
  void serviceAddresses.refresh();

  return {
    tunnel,
    gateways,
    callForUser: callsThroughProxy({
      ways,
      questions,
      host: hostOf(apiUrl),
      isInsideTunnel: options.isInsideTunnel,
    }),
    async askProxyPassword(host) {
      const way = options.isInsideTunnel() ? undefined : ways.to(host);
      if (!way) return false;
      ways.refused(way);
      await questions.ask(way);
      const now = ways.to(host);
      return now !== undefined && !ways.isRefused(now);
    },
    onTunnelState: (listener) => states.add(listener),
    onTunnelCommand: (listener) => commands.add(listener),
    onGatewayForm: (listener) => forms.add(listener),
    onLatency: (listener) => latencies.add(listener),
    latencyMeter: createGatewayLatencies({
      servers: () => plan.servers(),
      state: () => tunnel.state(),
      addresses,
      hasProxy: (host) => ways.to(host) !== undefined,
      pins: () => settings.get('gatewayPins'),
      onLatency: (latency) => latencies.emit(latency),
    }),
    worldAddress: createWorldAddress({
      state: () => tunnel.state(),
      client,
      apiUrl,
      fetch: options.serviceFetch.short,
    }),
    portalAddress: portalAt,
    portal: createPortalSignIn({
      helper,
      address: portalAt,
      openWindow: options.openPortalWindow,
      onFound: (isThere) => tunnel.portalFound(isThere),
      onPassed: () => tunnel.portalPassed(),
      log,
    }),
    userIsHere,
    setPageInView(path) {
      pageInView = path;
      tunnel.viewChanged();
    },
    close() {
      preparation.close();
      planGuard.close();
    },
  };
}
