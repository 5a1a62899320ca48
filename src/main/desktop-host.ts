import type { Logger } from 'pino';
import { checkToken } from '#shared/api/check-token.ts';
import { createApiClient } from '#shared/api/client.ts';
import {
  hostContract,
  type HostContract,
  type HostImplementation,
  type SignedOutBy,
} from '#shared/host/contract.ts';
import { createPageCalls } from '#shared/host/page-calls.ts';
import { createHostServer, type EmitHostEvent } from '#shared/host/server.ts';

import { createAccountPlan } from './tunnel/account-plan.ts';
import { createAppsHost, type OpenAppLink, type OpenAppView } from './apps-host.ts';
import { portalAddress, probePortal } from './tunnel/captive-portal.ts';
import { describeDevice, readDeviceId } from './session/device.ts';
import type { Environment } from './environment.ts';
import { createGatewayAddresses } from './gateway/gateway-addresses.ts';
import { createGatewayForms } from './gateway/gateway-forms.ts';
import { createBanners } from './gateway/banners.ts';
import { createClientIdentities } from './gateway/client-identities.ts';
import { createGatewayMemory } from './gateway/gateway-memory.ts';
import { connectPastBlock } from './tunnel/connect-past-block.ts';
import { createGroupHost } from './gateway/group-host.ts';
import { followRedirects } from './gateway/redirects.ts';
import { createSignIn } from './gateway/sign-in.ts';
import type { OpenBrowser } from './gateway/single-sign-on.ts';
import { createHelperClient } from './tunnel/helper-client.ts';
import type { HostServer } from './page/host-answer.ts';
import { syncWithTunnel } from './system-proxy/sync-with-tunnel.ts';
import { fetchFromService } from './http-fetch.ts';
import type { Keychain } from './session/keychain.ts';
import { createPageStorage } from './page/page-storage.ts';
import { createPlanGuard } from './tunnel/plan-guard.ts';
import { createPortalSignIn, type OpenPortalWindow } from './tunnel/portal-sign-in.ts';
import { createRoutingHost, offeredModes } from './preferences/routing-host.ts';
import type { RunProgram } from './system-proxy/run-program.ts';
import { createServiceAddresses } from './tunnel/service-addresses.ts';
import { createSessionHost } from './session/session-host.ts';
import { createSessionStore } from './session/session-store.ts';
import { createSettingsHost } from './preferences/settings-host.ts';
import { createSettings, type KeyValueFile } from './preferences/settings.ts';
import { createSystemProxy } from './system-proxy/system-proxy.ts';
import { createTunnelController } from './tunnel/tunnel-controller.ts';

export interface DesktopHostOptions {
  environment: Environment;
  /** The app's version. */
  version: string;
  /** The system's language as a BCP 47 tag, empty if unknown. */
  lang: string;
  settingsFile: KeyValueFile;
  pageFile: KeyValueFile;
  /** Apart from the settings, since lists of domains are some megabytes. */
  routingFile: KeyValueFile;
  /** What the service lists for the account. */
  planFile: KeyValueFile;
  keychain: Keychain;
  /** Runs the desktop's own programs, in the session whose environment this is. */
  runProgram: RunProgram;
  session: Readonly<NodeJS.ProcessEnv>;
  openExternal(link: string): Promise<boolean>;
  openBrowser: OpenBrowser;
  openPortalWindow: OpenPortalWindow;
  openAppView: OpenAppView;
  openAppLink: OpenAppLink;
  emit: EmitHostEvent<HostContract>;
  log: Logger;
}

/** The whole desktop app without its windows: the host contract, served. */
export function createDesktopHost(options: DesktopHostOptions): { server: HostServer; close(): void } {
  const { environment, version, emit, log } = options;
  const settings = createSettings(options.settingsFile);
  const device = describeDevice(options);
  const sessionStore = createSessionStore({
    deviceId: readDeviceId(settings),
    keychain: options.keychain,
    settings,
    log,
  });
  const storage = createPageStorage(options.pageFile);
  const helper = createHelperClient({ socketPath: environment.helperSocket, version, log });
  const portalAt = portalAddress(environment.apiUrl);
  const serviceAddresses = createServiceAddresses(environment.apiUrl);
  const systemProxy = createSystemProxy({ settings, run: options.runProgram, env: options.session, log });
  const syncProxy = syncWithTunnel(systemProxy, () => settings.get('killSwitch'));
  const addresses = createGatewayAddresses(settings);
  const memory = createGatewayMemory(settings);
  const identities = createClientIdentities({
    keychain: options.keychain,
    memory,
    changed: () => tunnel.credentialsChanged(),
    log,
  });
  const plan = createAccountPlan({
    file: options.planFile,
    client: () => client,
    isSignedIn: () => sessionStore.session().signedIn,
  });
  const planGuard = createPlanGuard({
    plan,
    helper,
    listed: (gateway) => memory.listed(gateway),
    end: (reason) => void tunnel.end(reason),
    log,
  });
  const gatewayForms = createGatewayForms((form) => emit('gatewayForm.changed', form));
  const tunnel = createTunnelController({
    helper,
    addresses,
    memory,
    signIn: followRedirects({
      signInAt: createSignIn({
        pins: () => settings.get('gatewayPins'),
        connect: connectPastBlock({
          state: () => helper.state(),
          socketPath: environment.helperSocket,
          version,
          log,
        }),
        memory,
        identity: identities.of,
        openBrowser: options.openBrowser,
        askUser: gatewayForms.ask,
        log,
        version,
      }),
      addresses,
      memory,
      log,
    }),
    onSession: createBanners({ memory, show: gatewayForms.show }),
    credentials() {
      const { deviceId, token } = sessionStore.credentials();
      return token === undefined ? undefined : { username: deviceId, password: token };
    },
    refusal: (gateway, path) => plan.refusal(gateway, path),
    deadline: (gateway) => planGuard.deadline(gateway),
    split(gateway) {
      const listed = memory.listed(gateway);
      return plan.isSplit(listed, memory.path(listed));
    },
    routing: () => ({ routing: routing.current(), killSwitch: settings.get('killSwitch') }),
    isBehindPortal: async () => (await probePortal(portalAt)) === 'portal',
    reachabilityTargets: () => serviceAddresses.targets(),
    emit(state) {
      emit('tunnel.stateChanged', state);
      void syncProxy(state);
      if (state.state === 'disconnected' || state.state === 'connected') void serviceAddresses.refresh();
    },
    log,
  });

  const routing = createRoutingHost({
    file: options.routingFile,
    localNetwork: () => settings.get('localNetwork'),
    tunnel,
    log,
  });

  /** Forgets everything about the user: token, page storage with its cached replies, gateway sessions. */
  async function signOut(by: SignedOutBy): Promise<void> {
    await storage.clear(undefined);
    plan.forget();
    await Promise.all([sessionStore.signOut(), tunnel.drop(by)]);
  }

  const service = { baseUrl: environment.apiUrl, fetch: fetchFromService, deviceName: device.name };
  const client = createApiClient({
    ...service,
    session: () => sessionStore.credentials(),
    endSession: () => signOut('service'),
  });

  sessionStore.onChange((session) => {
    emit('session.changed', session);
    tunnel.credentialsChanged();
  });
  void sessionStore.load();
  // Also when nothing changes any more: an earlier run may have left the desktop's proxy set.
  void helper.ready.then(() => syncProxy(tunnel.state()));
  void serviceAddresses.refresh();

  plan.onChange(() => tunnel.resolveAhead(plan.hosts()));
  function close(): void {
    planGuard.close();
    helper.close();
  }

  const implementation: HostImplementation = {
    app: {
      async describe() {
        await helper.ready;
        const routingModes = offeredModes(helper.capabilities());
        return { kind: 'desktop', device, hasTunnel: true, routingModes, portalAddress: portalAt };
      },
      openExternal: (link) => options.openExternal(link),
    },
    api: createPageCalls(plan.watch(client), () => sessionStore.load()),
    session: createSessionHost({
      client,
      store: sessionStore,
      checkToken: (credentials) => checkToken(service, credentials),
      signOut,
    }),
    apps: createAppsHost(options),
    storage,
    tunnel: tunnel.host,
    gatewayForm: gatewayForms.host,
    gatewayCertificate: identities.host,
    portal: createPortalSignIn({
      helper,
      address: portalAt,
      openWindow: options.openPortalWindow,
      onPassed: () => tunnel.portalPassed(),
      log,
    }),
    gatewayGroup: createGroupHost(memory, () => tunnel.credentialsChanged()),
    routing: routing.host,
    settings: createSettingsHost({ settings, apply: () => routing.apply(), log }),
  };
  return { server: createHostServer(hostContract, implementation), close };
}
