import { createPageCalls } from '#shared/host/page-calls.ts';
import { createHostServer, type EmitHostEvent } from '#shared/host/server.ts';
import {
  desktopContract,
  type DesktopContract,
  type DesktopImplementation,
} from '#shared/host/updates-contract.ts';
import { createMiniAppsHost, type OpenAppLink, type OpenAppView } from './mini-apps-host.ts';
import type { Core } from './core/core.ts';
import { createReportHost, type SaveText } from './diagnostics/report-host.ts';
import { createGroupHost } from './gateway/sign-in/group-host.ts';
import type { HostServer } from './page/host-answer.ts';
import { createPreferencesHost } from './preferences/preferences-host.ts';
import { createSessionHost } from './session/session-host.ts';
import type { AppUpdates } from './updates/app-updates.ts';
import { createUpdatesHost } from './updates/updates-host.ts';

export interface DesktopHostOptions {
  core: Core;
  openExternal(link: string): Promise<boolean>;
  openAppView: OpenAppView;
  openAppLink: OpenAppLink;
  saveText: SaveText;
  /** Where there are updates of the app. */
  updates?: AppUpdates | undefined;
  /** To all pages. */
  emit: EmitHostEvent<DesktopContract>;
}

/** Serves the host contract from the parts of the app that need no window. */
export function createDesktopHost(options: DesktopHostOptions): HostServer {
  const { core, emit } = options;
  const { session, tunnel, server } = core;
  const preferences = createPreferencesHost(core.preferences, core.behaviour);

  session.onChange((now) => emit('session.changed', now));
  core.clock.onChange((offset) => emit('clock.changed', offset));
  core.onAccountFollowed(() => emit('account.followed', undefined));
  core.onAccountChanges((changes) => emit('account.changed', [...changes]));
  core.onTunnelState((state) => emit('tunnel.stateChanged', state));
  core.onGatewayForm((form) => emit('gatewayForm.changed', form));
  preferences.onChange((now) => emit('preferences.changed', now));
  server.onChange((id) => emit('server.changed', id ?? null));
  core.connectionLog.onChange((entries) => emit('connectionLog.changed', [...entries]));
  const keptServers = () => ({
    favourites: [...core.favouriteServers.ids()],
    recents: [...core.recentServers.ids()],
  });
  core.favouriteServers.onChange(() => emit('servers.keptChanged', keptServers()));
  core.recentServers.onChange(() => emit('servers.keptChanged', keptServers()));
  core.networks?.onChange((now) => emit('networks.changed', now?.network ?? null));
  core.onLatency((latency) => emit('servers.measured', [latency]));

  options.updates?.onChange((view) => emit('updates.changed', view));

  const implementation: DesktopImplementation = {
    app: {
      describe: async () => ({
        kind: 'desktop',
        device: core.device,
        hasTunnel: true,
        routingModes: await core.routingModes(),
        portalAddress: core.portalAddress,
        keepsServers: true,
        measuresLatency: true,
      }),
      openExternal: (link) => options.openExternal(link),
    },
    api: createPageCalls(core.client, () => session.load()),
    clock: { offset: () => core.clock.offset() },
    session: createSessionHost({
      client: core.client,
      store: session,
      refusals: core.refusals,
      owner: core.owner,
      checkToken: (credentials) => core.checkToken(credentials),
      endToken: (known) => core.endToken(known),
      signOut: (by) => core.signOut(by),
      callForUser: core.callForUser,
    }),
    apps: createMiniAppsHost(options),
    storage: core.storage,
    tunnel: tunnel.host,
    gatewayForm: core.gatewayForms.host,
    gatewayCertificate: core.identities.host,
    portal: core.portal,
    browser: { openThroughTunnel: () => core.tunnelBrowser.open() },
    gatewayGroup: createGroupHost(core.gatewayMemory, () => tunnel.credentialsChanged()),
    server: {
      chosen: () => server.id() ?? null,
      choose: (id) => server.choose(id),
      chooseFirst: (id) => server.chooseFirst(id),
    },
    servers: {
      kept: keptServers,
      setFavourite: ({ serverId, isFavourite }) => core.favouriteServers.set(serverId, isFavourite),
      measure: () => core.latencyMeter.measure(),
    },
    worldAddress: core.worldAddress,
    preferences: preferences.host,
    routedPrograms: core.routedPrograms,
    networks: { current: async () => (await core.networks?.watch())?.network ?? null },
    connectionLog: {
      get: () => [...core.connectionLog.entries()],
      clear: () => core.connectionLog.clear(),
    },
    problemReport: createReportHost({ make: () => core.problemReport(), save: options.saveText }),
    updates: createUpdatesHost(options.updates),
  };
  return createHostServer(desktopContract, implementation);
}
