import { createSay } from '#shared/texts/say.ts';
import { createSettings } from '../preferences/settings.ts';
import { toldOnce } from '../preferences/told-once.ts';
import { describeDevice } from '../session/device.ts';
import { createHelperClient } from '../tunnel/helper-client.ts';
import { offeredModes } from '../tunnel/offered-modes.ts';
import { wayOutTo } from '../way-out/way-out-to.ts';
import type { Core } from './core.ts';
import { createCoreAccount } from './core-account.ts';
import { createCoreDiagnostics } from './core-diagnostics.ts';
import type { CoreOptions } from './core-options.ts';
import { createCorePreferences } from './core-preferences.ts';
import { createCorePrograms } from './core-programs.ts';
import { createCoreTunnel } from './core-tunnel.ts';
import { createCoreWayOut } from './core-way-out.ts';
import { settleUnsureKillSwitch } from './unsure-kill-switch.ts';

/**
 * Puts the core together, in this order: each part is complete once it is made, knows only those before it, and
 * listens to them. The two that have to know what the tunnel does are told at the end.
 */
export function createCore(options: CoreOptions): Core {
  const { environment, version, networks, log } = options;
  const settings = createSettings(options.settingsFile);
  const device = describeDevice(options);
  const helper = createHelperClient({ socketPath: environment.helperSocket, version, log });
  const wayOut = createCoreWayOut({ ...options, settings, helper });
  const { ways, wayTo, serviceFetch } = wayOut;
  const account = createCoreAccount({ ...options, settings, serviceFetch, deviceName: device.name });
  const choices = createCorePreferences({
    ...options,
    settings,
    systemLanguage: device.lang,
    account,
    helper,
  });
  settleUnsureKillSwitch({ settings, preferences: choices.preferences, helper, log });
  const tunnel = createCoreTunnel({
    ...options,
    settings,
    wayOut,
    say: createSay(
      () => choices.language(),
      device.platform,
      (language) => account.operatorTexts.of(language),
    ),
    account,
    choices,
    helper,
  });
  networks?.onChange(() => void ways.refresh());
  const programs = createCorePrograms({ ...options, choices, tunnel, helper });
  const diagnostics = createCoreDiagnostics({ ...options, device, account, choices, tunnel, helper });
  tunnel.onTunnelState((state) => {
    account.follow(state);
    choices.follow(state);
  });
  const { session, plan } = account;
  void session.load();

  return {
    device,
    language: () => choices.language(),
    operatorTexts: account.operatorTexts,
    session,
    refusals: account.refusals,
    fetch: serviceFetch,
    callForUser: tunnel.callForUser,
    wayOut: () => wayOutTo(environment.apiUrl, ways),
    wayTo,
    askProxyPassword: tunnel.askProxyPassword,
    client: account.watchedClient,
    update: account.update,
    onAccountFollowed: account.onAccountFollowed,
    onAccountChanges: account.onAccountChanges,
    probePages: () => account.probePages.named(),
    owner: account.owner,
    checkToken: account.checkToken,
    endToken: account.endToken,
    signOut: account.signOut,
    storage: account.storage,
    tunnel: tunnel.tunnel,
    onTunnelState: tunnel.onTunnelState,
    onTunnelCommand: tunnel.onTunnelCommand,
    preferences: choices.preferences,
    server: choices.server,
    behaviour: choices.behaviour,
    networks,
    routedPrograms: programs.routedPrograms,
    admitProcess: programs.admitProcess,
    connectionLog: diagnostics.connectionLog,
    problemReport: diagnostics.problemReport,
    recentServers: choices.recentServers,
    favouriteServers: choices.favouriteServers,
    latencyMeter: tunnel.latencyMeter,
    onLatency: tunnel.onLatency,
    worldAddress: tunnel.worldAddress,
    servers: () => (plan.isKnown() ? plan.servers() : undefined),
    refreshServers: () => (plan.isKnown() ? plan.renew() : plan.refresh()),
    clock: account.clock,
    planEnd: () => plan.end(),
    toldOnce: (name) => toldOnce(settings, name),
    onPlanChange: (listener) => plan.onChange(listener),
    async routingModes() {
      await helper.ready;
      return offeredModes(helper.capabilities());
    },
    portalAddress: tunnel.portalAddress,
    portal: tunnel.portal,
    tunnelBrowser: programs.tunnelBrowser,
    gatewayMemory: tunnel.gateways.memory,
    gatewayForms: tunnel.gateways.forms,
    onGatewayForm: tunnel.onGatewayForm,
    identities: tunnel.gateways.identities,
    userIsHere: tunnel.userIsHere,
    setPageInView: tunnel.setPageInView,
    close() {
      programs.close();
      tunnel.close();
      choices.close();
      account.close();
      networks?.close();
      helper.close();
    },
  };
}
