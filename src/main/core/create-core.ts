import os from 'node:os';
import type { Logger } from 'pino';
import { checkToken } from '#shared/api/check-token.ts';
import { createApiClient } from '#shared/api/client.ts';
import type { AccountChange } from '#shared/api/events.ts';
import { followEvents } from '#shared/api/follow-events.ts';
import type { Language } from '#shared/entities.ts';
import type { SignedOutBy } from '#shared/host/contract.ts';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { cacheSeconds } from '#shared/constants.ts';
import { chooseLanguage } from '#shared/language.ts';
import type { ServerLatency } from '#shared/plan/server-latency.ts';
import { serverAt } from '#shared/plan/usable-group.ts';
import { serverAddress } from '#shared/tunnel/address.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { Core } from './core.ts';
import { reportOnCore } from './core-report.ts';
import { createTunnelBrowser } from '../programs/tunnel-browser.ts';
import { createRoutedApps } from '../programs/routed-programs.ts';
import { createConnectionLog } from '../diagnostics/connection-log.ts';
import type { LossWatch } from '../diagnostics/loss-cause.ts';
import type { Environment } from '../environment.ts';
import { createGateways } from '../gateway/gateways.ts';
import { createGatewayLatencies } from '../gateway/latency.ts';
import type { OpenBrowser } from '../gateway/single-sign-on.ts';
import { fetchFromService, fetchShort, streamFromService } from '../http-fetch.ts';
import { createListeners } from '../listeners.ts';
import type { Networks } from '../networks/networks.ts';
import { createAppUpdate } from '../notices/app-update.ts';
import { createPageStorage } from '../page/page-storage.ts';
import { createProbePages } from '../page/probe-pages.ts';
import { createAddressLists } from '../preferences/address-lists.ts';
import { createBehaviour, type LoginItem } from '../preferences/behaviour.ts';
import { createFavouriteServers } from '../preferences/favourite-servers.ts';
import { createOperatorTexts } from '../preferences/operator-texts.ts';
import { createPreferences } from '../preferences/preferences.ts';
import { createRecentServers } from '../preferences/recent-servers.ts';
import { createRouteLists, type TextFile } from '../preferences/route-lists.ts';
import { createServerChoice } from '../preferences/server-choice.ts';
import { createSettings, type KeyValueFile } from '../preferences/settings.ts';
import { toldOnce } from '../preferences/told-once.ts';
import { describeDevice, readDeviceId } from '../session/device.ts';
import type { Keychain } from '../session/keychain.ts';
import { createSessionStore } from '../session/session-store.ts';
import type { RunProgram } from '../system-proxy/run-program.ts';
import { ownProxy, syncWithTunnel } from '../system-proxy/sync-with-tunnel.ts';
import { createSystemProxy } from '../system-proxy/system-proxy.ts';
import { createAccountPlan } from '../tunnel/account-plan.ts';
import { portalAddress, probePortal } from '../tunnel/captive-portal.ts';
import { connectPastBlock } from '../tunnel/connect-past-block.ts';
import { createHelperClient } from '../tunnel/helper-client.ts';
import { createMoveProcess } from '../tunnel/move-process.ts';
import { offeredModes } from '../tunnel/offered-modes.ts';
import { createPlanGuard } from '../tunnel/plan-guard.ts';
import { createPortalSignIn, type OpenPortalWindow } from '../tunnel/portal-sign-in.ts';
import { createServiceAddresses } from '../tunnel/service-addresses.ts';
import { createSessionPreparation } from '../tunnel/session-preparation.ts';
import { createTunnelController, type TunnelCommand } from '../tunnel/tunnel-controller.ts';
import { createWorldAddress } from '../tunnel/world-address.ts';

export interface CoreOptions {
  environment: Environment;
  /** The app's version. */
  version: string;
  /** The system's language as a BCP 47 tag, empty if unknown. */
  lang: string;
  settingsFile: KeyValueFile;
  pageFile: KeyValueFile;
  /** The service's lists for the account. */
  planFile: KeyValueFile;
  /** In their own file, because they have several megabytes. */
  listsFile: TextFile;
  addressListsFile: TextFile;
  keychain: Keychain;
  connectionLogFile: KeyValueFile;
  lossWatch: LossWatch;
  /** The app's log, including earlier runs: lines of JSON, oldest first. */
  appLog: () => readonly string[];
  /** Undefined if the system cannot start the app. */
  loginItem?: LoginItem | undefined;
  /** Undefined if the app cannot find out which network the computer is on. */
  networks?: Networks | undefined;
  /** Runs the desktop's own programs in the session with this environment. */
  runProgram: RunProgram;
  session: Readonly<NodeJS.ProcessEnv>;
  openBrowser: OpenBrowser;
  openPortalWindow: OpenPortalWindow;
  log: Logger;
}

/** How often it is checked whether lists have to be requested again, because they are old or a request failed. */
const listsCheckMs = 5 * 60_000;

/** The locales of desktop entries for our languages, closest first. */
const entryLocales: Readonly<Record<Language, readonly string[]>> = {
  en: ['en', 'en_US', 'en_GB'],
  'zh-hans': ['zh_CN', 'zh_SG', 'zh'],
  'zh-hant': ['zh_TW', 'zh_HK', 'zh'],
};

export function createCore(options: CoreOptions): Core {
  const { environment, version, log } = options;
  const settings = createSettings(options.settingsFile);
  const device = describeDevice(options);
  const { networks } = options;
  const behaviour = createBehaviour({
    settings,
    loginItem: options.loginItem,
    knowsNetworks: networks !== undefined,
  });
  const language = (): Language => {
    const chosen = behaviour.get().language;
    return chosen === 'system' ? chooseLanguage([device.lang]) : chosen;
  };
  const session = createSessionStore({
    deviceId: readDeviceId(settings),
    keychain: options.keychain,
    settings,
    log,
  });
  const isSignedIn = () => session.session().signedIn;
  const storage = createPageStorage(options.pageFile);
  const service = { baseUrl: environment.apiUrl, fetch: fetchFromService, deviceName: device.name };
  const client = createApiClient({
    ...service,
    session: () => session.credentials(),
    endSession: () => signOut('service'),
  });
  let isTunnelUp = false;
  const tunnelStates = createListeners<TunnelState>();
  const commands = createListeners<TunnelCommand>();
  const forms = createListeners<GatewayForm | null>();
  const accountChanges = createListeners<readonly AccountChange[]>();
  const latencies = createListeners<ServerLatency>();

  const helper = createHelperClient({ socketPath: environment.helperSocket, version, log });
  const portalAt = portalAddress(environment.apiUrl);
  const serviceAddresses = createServiceAddresses(environment.apiUrl);
  const gateways = createGateways({
    settings,
    keychain: options.keychain,
    client,
    session: () => session.credentials(),
    connect: connectPastBlock({
      state: () => helper.state(),
      socketPath: environment.helperSocket,
      version,
      log,
    }),
    openBrowser: options.openBrowser,
    onForm: (form) => forms.emit(form),
    credentialsChanged: () => tunnel.credentialsChanged(),
    version,
    log,
  });
  const { addresses, memory, logins } = gateways;
  const probePages = createProbePages(settings);
  const operatorTexts = createOperatorTexts(settings);
  const appUpdate = createAppUpdate(version);
  const plan = createAccountPlan({ file: options.planFile, client: () => client, isSignedIn });
  const planGuard = createPlanGuard({
    plan,
    helper,
    listed: (gateway) => memory.listed(gateway),
    end: (reason) => void tunnel.end(reason),
    log,
  });
  const events = followEvents({
    baseUrl: environment.apiUrl,
    fetch: streamFromService,
    session: () => session.credentials(),
    onChanges(changes) {
      if (changes.includes('entitlement')) void plan.renew();
      accountChanges.emit(changes);
    },
    onSignedOut: () => void signOut('service'),
  });
  const server = createServerChoice({ settings, servers: () => plan.servers() });
  const recentServers = createRecentServers(settings);
  const favouriteServers = createFavouriteServers(settings);
  const lists = createRouteLists({
    file: options.listsFile,
    client,
    language,
    log,
  });
  const addressLists = createAddressLists({ file: options.addressListsFile, client, language, log });
  const preferences = createPreferences({
    settings,
    lists,
    addressLists,
    // Until a helper has said what it can do, automatic routing is offered, as in offeredModes.
    can: (capability) => helper.capabilities()?.includes(capability) ?? capability === 'routing.pac',
    prepare: () => routedApps.apply(),
    log,
  });
  const routedApps = createRoutedApps({
    surroundings: () => ({
      env: options.session,
      home: os.homedir(),
      locales: entryLocales[language()],
    }),
    ownProgram: process.execPath,
    choice() {
      const { routing, apps } = preferences.get();
      return routing === 'app' && apps && apps.ids.length > 0 ? apps : undefined;
    },
    move: createMoveProcess(helper),
    log,
  });
  const tunnelBrowser = createTunnelBrowser({
    proxyAddress: () => ownProxy(tunnel.state())?.address,
    defaultBrowser: () => options.runProgram('xdg-settings', ['get', 'default-web-browser']),
    env: options.session,
    directory: os.tmpdir(),
    log,
  });
  const { lossWatch } = options;
  const connectionLog = createConnectionLog({
    file: options.connectionLogFile,
    lossCause: () => lossWatch.cause(),
  });
  const systemProxy = createSystemProxy({ settings, run: options.runProgram, env: options.session, log });
  const syncProxy = syncWithTunnel(systemProxy, () => settings.get('killSwitch'));
  const tunnel = createTunnelController({
    helper,
    addresses,
    memory,
    signIn: gateways.signIn,
    onSession: gateways.onSession,
    isSignedIn,
    async refusal(gateway, path) {
      const refused = await plan.refusal(gateway, path);
      // Done before traffic is blocked, because then the service cannot be reached.
      if (refused === undefined) await logins.find(memory.listed(gateway));
      return refused;
    },
    deadline: (gateway) => planGuard.deadline(gateway),
    split(gateway) {
      const listed = memory.listed(gateway);
      return plan.isSplit(listed, memory.path(listed));
    },
    preferences,
    isBehindPortal: async () => (await probePortal(portalAt)) === 'portal',
    reachabilityTargets: () => serviceAddresses.targets(),
    onCommand(command) {
      connectionLog.commanded();
      commands.emit(command);
    },
    emit(state) {
      tunnelStates.emit(state);
      void syncProxy(state);
      if (state.state === 'disconnected' || state.state === 'connected') void serviceAddresses.refresh();
    },
    log,
  });
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
    tunnel.resolveAhead(chosen ? [chosen.domain, ...plan.hosts()] : plan.hosts());
    preparation.userIsHere();
  }

  function refreshLists(): void {
    if (isSignedIn()) void preferences.refreshLists();
  }

  function rememberServer(state: TunnelState): void {
    if (state.state !== 'connected' || state.ownedByOther) return;
    const used = serverAt(state.gateway, plan.servers(), server.server());
    if (used) recentServers.connectedTo(used.serverId);
  }

  function logConnection(state: TunnelState): void {
    const gateway = 'gateway' in state ? state.gateway : undefined;
    const used = gateway && serverAt(gateway, plan.servers(), server.server());
    connectionLog.add(state, used?.name ?? gateway?.host ?? '');
    if (state.state === 'connected') lossWatch.up();
  }

  /** A stream that stays open when a tunnel begins or ends would use the wrong route. */
  function followWay({ state }: TunnelState): void {
    if (state !== (isTunnelUp ? 'disconnected' : 'connected')) return;
    isTunnelUp = !isTunnelUp;
    events.restart();
  }

  async function signOut(by: SignedOutBy): Promise<void> {
    await storage.clear(undefined);
    plan.forget();
    server.forget();
    recentServers.forget();
    favouriteServers.forget();
    lists.forget();
    addressLists.forget();
    await Promise.all([logins.forget(), session.signOut(), tunnel.drop(by)]);
    connectionLog.forget();
  }

  session.onChange((now) => {
    tunnel.credentialsChanged();
    events.restart();
    if (!now.signedIn) return;
    userIsHere();
    refreshLists();
  });
  helper.onState(({ state }) => {
    if (state === 'connected') refreshLists();
  });
  tunnelStates.add((state) => {
    followWay(state);
    routedApps.follow(state);
    rememberServer(state);
    logConnection(state);
    if (state.state === 'disconnected' && state.reason === undefined) userIsHere();
    else preparation.check();
  });
  server.onChange((id) => {
    if (id !== undefined) userIsHere();
  });
  plan.onChange(() => {
    void logins.refresh();
    tunnel.resolveAhead(plan.hosts());
    preparation.check();
  });
  const watched = plan.watch(probePages.watch(operatorTexts.watch(appUpdate.watch(client))));
  // There may be no open page for days.
  const updateTimer = setInterval(
    () => void watched.call('basicInfo'),
    cacheSeconds.basicInfo * 1000,
  ).unref();
  const listsTimer = setInterval(refreshLists, listsCheckMs).unref();

  void session.load();
  // Even if nothing changes any more: an earlier run may have left the desktop's proxy set.
  void helper.ready.then(() => syncProxy(tunnel.state()));
  void serviceAddresses.refresh();

  return {
    device,
    language,
    operatorTexts,
    session,
    client: watched,
    update: appUpdate,
    onAccountChanges: (listener) => accountChanges.add(listener),
    probePages: () => probePages.named(),
    checkToken: (credentials) => checkToken(service, credentials),
    signOut,
    storage,
    tunnel,
    onTunnelState: (listener) => tunnelStates.add(listener),
    onTunnelCommand: (listener) => commands.add(listener),
    preferences,
    server,
    behaviour,
    networks,
    routedApps: routedApps.host,
    async admitProcess(pid) {
      await helper.ready;
      if (helper.capabilities()?.includes('routing.app') !== true) return 'unsupported';
      return await routedApps.admit(pid);
    },
    connectionLog,
    problemReport: () =>
      reportOnCore({
        version,
        device,
        language,
        session,
        helper,
        tunnel,
        preferences,
        behaviour,
        connectionLog,
        appLog: options.appLog,
      }),
    recentServers,
    favouriteServers,
    latencyMeter: createGatewayLatencies({
      servers: () => plan.servers(),
      state: () => tunnel.state(),
      addresses,
      onLatency: (latency) => latencies.emit(latency),
    }),
    onLatency: (listener) => latencies.add(listener),
    worldAddress: createWorldAddress({
      state: () => tunnel.state(),
      client: () => client,
      apiUrl: environment.apiUrl,
      fetch: fetchShort,
    }),
    servers: () => (plan.isKnown() ? plan.servers() : undefined),
    refreshServers: () => (plan.isKnown() ? plan.renew() : plan.refresh()),
    planEnd: () => plan.end(),
    toldOnce: (name) => toldOnce(settings, name),
    onPlanChange: (listener) => plan.onChange(listener),
    async routingModes() {
      await helper.ready;
      return offeredModes(helper.capabilities());
    },
    portalAddress: portalAt,
    portal: createPortalSignIn({
      helper,
      address: portalAt,
      openWindow: options.openPortalWindow,
      onFound: (isThere) => tunnel.portalFound(isThere),
      onPassed: () => tunnel.portalPassed(),
      log,
    }),
    tunnelBrowser,
    gatewayMemory: memory,
    gatewayForms: gateways.forms,
    onGatewayForm: (listener) => forms.add(listener),
    identities: gateways.identities,
    userIsHere,
    close() {
      clearInterval(listsTimer);
      clearInterval(updateTimer);
      tunnelBrowser.close();
      preparation.close();
      planGuard.close();
      networks?.close();
      routedApps.close();
      events.stop();
      helper.close();
    },
  };
}
