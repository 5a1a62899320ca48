import type { Logger } from 'pino';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import type { Say } from '#shared/texts/say.ts';
import type { DisconnectReason, Gateway, TunnelState } from '#shared/tunnel/state.ts';
import type { Gateways } from '../gateway/gateways.ts';
import { createGatewayLatencies } from '../gateway/latency.ts';
import { createListeners } from '../listeners.ts';
import type { Settings } from '../preferences/settings.ts';
import { syncWithTunnel } from '../system-proxy/sync-with-tunnel.ts';
import { connectPath } from '../page/page-address.ts';
import { createSystemProxy } from '../system-proxy/system-proxy.ts';
import { portalAddress, probePortal } from '../tunnel/captive-portal.ts';
import { createDestinations } from '../tunnel/destination.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';
import { createPlanGuard } from '../tunnel/plan-guard.ts';
import { createPortalSignIn } from '../tunnel/portal-sign-in.ts';
import { createServiceAddresses } from '../tunnel/service-addresses.ts';
import {
  createTunnelController,
  type TunnelCommand,
  type TunnelController,
} from '../tunnel/tunnel-controller.ts';
import { createWorldAddress } from '../tunnel/world-address.ts';
import type { CallForUser } from '../session/call-for-user.ts';
import type { Core } from './core.ts';
import type { CoreAccount } from './core-account.ts';
import { createCoreGateways, type CoreGateways } from './core-gateways.ts';
import type { CoreOptions } from './core-options.ts';
import type { CorePreferences } from './core-preferences.ts';
import { createCoreTunnelAhead } from './core-tunnel-ahead.ts';
import type { CoreWayOut } from './core-way-out.ts';

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
  wayOut: CoreWayOut;
  say: Say;
  account: Pick<CoreAccount, 'client' | 'clock' | 'isSignedIn' | 'session' | 'plan' | 'onSignOut'>;
  choices: Pick<CorePreferences, 'preferences' | 'server'>;
  helper: HelperClient;
  log: Logger;
}

/** The controller, and who hears of what it does. */
function createTunnel(options: CoreTunnelOptions, { gateways, proxies }: CoreGateways) {
  const { environment, settings, helper, log } = options;
  const { clock, isSignedIn, plan } = options.account;
  const { ways } = options.wayOut;
  const { addresses, memory, logins } = gateways;
  const states = createListeners<TunnelState>();
  const commands = createListeners<TunnelCommand>();
  const planEnds = createListeners<DisconnectReason>();
  const destinations = createDestinations({ memory, plan });
  const planGuard = createPlanGuard({
    plan,
    helper,
    clock,
    destinations,
    end: (reason) => planEnds.emit(reason),
    comeBack: () => tunnel.comeBack(),
    log,
  });
  let pageInView: string | undefined;
  const portalAt = portalAddress(environment.apiUrl);
  const serviceAddresses = createServiceAddresses(environment.apiUrl);
  const systemProxy = createSystemProxy({ settings, run: options.runProgram, env: options.session, log });
  const syncProxy = syncWithTunnel(systemProxy, () => settings.get('killSwitch'));
  let last: Gateway | undefined;
  const tunnel = createTunnelController({
    helper,
    addresses,
    proxyTo: (host) => ways.to(host),
    isProxyRefused: (host) => proxies.isRefused(host),
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
    beforeSignIn: ({ host }, signal) => proxies.ask(host, signal),
    askForProxy: ({ host }) => proxies.consider(host),
    destinations,
    deadline: (destination) => planGuard.deadline(destination),
    hasPlan: () => plan.hasPlan(),
    preferences: options.choices.preferences,
    isBehindPortal: async () => (await probePortal(portalAt)) === 'portal',
    reachabilityTargets: () => serviceAddresses.targets(),
    onCommand: (command) => commands.emit(command),
    emit(state) {
      states.emit(state);
      void syncProxy(state);
      if (state.state === 'disconnected') void ways.refresh();
      if ('gateway' in state) last = state.gateway;
      if (state.state === 'disconnected' && state.reason === 'proxy-credentials' && last)
        proxies.refused(last.host);
      if (state.state === 'connected' && state.terms?.message !== undefined && !state.ownedByOther)
        gateways.onMessage(state.gateway, state.terms.message);
      if (last && !state.ownedByOther && state.state !== 'disconnecting' && state.state !== 'invalid')
        gateways.onGoodbye(last, 'goodbye' in state ? state.goodbye : undefined);
      if (state.state === 'disconnected' || state.state === 'connected') void serviceAddresses.refresh();
    },
    log,
  });
  options.networks?.onChange(() => tunnel.viewChanged());
  planEnds.add((reason) => void tunnel.end(reason));
  // Even if nothing changes any more: an earlier run may have left the desktop's proxy set.
  void helper.ready.then(() => syncProxy(tunnel.state()));
  void serviceAddresses.refresh();
  return {
    tunnel,
    states,
    commands,
    portalAt,
    setPageInView(path: string | undefined) {
      pageInView = path;
      tunnel.viewChanged();
    },
    close: () => planGuard.close(),
  };
}

export function createCoreTunnel(options: CoreTunnelOptions): CoreTunnel {
  const { environment, settings, helper, wayOut, log } = options;
  const { client, session, plan } = options.account;
  const { server } = options.choices;
  const { apiUrl } = environment;
  const core = createCoreGateways(options);
  const { gateways, proxies } = core;
  const made = createTunnel(options, core);
  const { tunnel, states, portalAt } = made;
  const ahead = createCoreTunnelAhead({ account: options.account, server, tunnel, ways: wayOut.ways });
  const latencies = createListeners<ServerLatency>();

  core.onCredentials(() => tunnel.credentialsChanged());
  session.onChange(({ signedIn }) => {
    tunnel.credentialsChanged();
    if (signedIn) ahead.userIsHere();
  });
  options.account.onSignOut(async (by) => {
    await Promise.all([gateways.forgetUser(), tunnel.drop(by)]);
  });
  states.add((state) => ahead.follow(state));
  server.onChange((id) => {
    if (id !== undefined) ahead.userIsHere();
  });
  plan.onChange(() => {
    void gateways.logins.refresh();
    tunnel.planChanged();
    tunnel.resolveAhead(plan.hosts());
    ahead.check();
  });

  return {
    tunnel,
    gateways,
    callForUser: proxies.callForUser,
    askProxyPassword: (host) => proxies.askAnew(host),
    onTunnelState: (listener) => states.add(listener),
    onTunnelCommand: (listener) => made.commands.add(listener),
    onGatewayForm: (listener) => core.onGatewayForm(listener),
    onLatency: (listener) => latencies.add(listener),
    latencyMeter: createGatewayLatencies({
      servers: () => plan.servers(),
      state: () => tunnel.state(),
      addresses: gateways.addresses,
      hasProxy: (host) => wayOut.ways.to(host) !== undefined,
      pins: () => settings.get('gatewayPins'),
      onLatency: (latency) => latencies.emit(latency),
    }),
    worldAddress: createWorldAddress({
      state: () => tunnel.state(),
      client,
      apiUrl,
      fetch: wayOut.serviceFetch.short,
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
    userIsHere: () => ahead.userIsHere(),
    setPageInView: (path) => made.setPageInView(path),
    close() {
      ahead.close();
      made.close();
    },
  };
}
