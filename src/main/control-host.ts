import { controlContract, type ControlContract, type ControlHelloReply } from '#shared/control/contract.ts';
import type { ApiResult } from '#shared/api/result.ts';
import { createHostServer, type EmitHostEvent } from '#shared/host/server.ts';
import type { UsableServer } from '#shared/control/contract.ts';
import { serverAddress } from '#shared/tunnel/address.ts';
import { serverFor } from '#shared/plan/usable-group.ts';
import type { Core } from './core/core.ts';
import { createPreferencesHost } from './preferences/preferences-host.ts';
import { routingSamples } from './preferences/routing-samples.ts';
import { createSessionHost } from './session/session-host.ts';
import { withTimeout } from './with-timeout.ts';

export interface ControlHostOptions {
  core: Core;
  hello: Pick<ControlHelloReply, 'protocolVersion' | 'version' | 'kind' | 'pid'>;
  /** The app wants the core; false if this process keeps it. */
  yieldCore(): boolean;
  emit: EmitHostEvent<ControlContract>;
}

/**
 * If the service takes longer, the known list of servers is used; the service may be unreachable while traffic is
 * blocked.
 */
const serviceMs = 5000;

/** The first that has failed. */
const worse = (results: readonly ApiResult<unknown>[]): ApiResult<unknown> =>
  results.find(({ ok }) => !ok) ?? { ok: true, data: undefined };

/** Serves the control contract from the core. */
export function createControlHost(options: ControlHostOptions): {
  handle(channel: string, input: unknown): Promise<unknown>;
} {
  const { core, emit } = options;
  const preferences = createPreferencesHost(core.preferences, core.behaviour);

  core.onTunnelState((state) => emit('tunnel.stateChanged', state));
  core.onGatewayForm((form) => emit('gatewayForm.changed', form));
  core.onLatency((latency) => emit('servers.measured', [latency]));

  async function listServers(): Promise<UsableServer[] | null> {
    await core.session.load();
    if (core.session.session().signedIn) {
      const ask = () => Promise.all([core.client.call('serverGroups'), core.client.call('myService')]);
      // If nothing is known, wait for the service, and for the user; the calls have their own timeout.
      if (core.servers() === undefined) await core.callForUser(async () => worse(await ask()));
      else await withTimeout(ask(), serviceMs, undefined);
    }
    const servers = core.servers();
    if (!servers) return null;
    const chosen = serverFor(servers, core.server.id());
    const favourites = core.favouriteServers.ids();
    return servers.map((server) => ({
      serverId: server.serverId,
      name: server.name,
      address: serverAddress(server),
      host: server.domain,
      country: server.country ?? null,
      city: server.city ?? null,
      group: server.group.name,
      load: server.load ?? null,
      isChosen: server.serverId === chosen?.serverId,
      isFavourite: favourites.includes(server.serverId),
    }));
  }

  return createHostServer(controlContract, {
    core: {
      hello: () => ({ ...options.hello, language: core.behaviour.get().language }),
      yield: () => options.yieldCore(),
    },
    session: createSessionHost({
      client: core.client,
      store: core.session,
      refusals: core.refusals,
      owner: core.owner,
      checkToken: (credentials) => core.checkToken(credentials),
      endToken: (known) => core.endToken(known),
      signOut: (by) => core.signOut(by),
      callForUser: core.callForUser,
    }),
    clock: { offset: () => core.clock.offset() },
    tunnel: core.tunnel.host,
    gatewayForm: core.gatewayForms.host,
    server: { choose: (id) => core.server.choose(id) },
    servers: { list: listServers, measure: () => core.latencyMeter.measure() },
    preferences: preferences.host,
    wayOut: {
      async check() {
        const asked = core.client.call('basicInfo').then(({ ok }) => ok);
        const isServiceReached = await withTimeout(asked, serviceMs, false);
        return { ...core.wayOut(), isServiceReached };
      },
      async to(host) {
        const way = await core.wayTo(host);
        return way ? { ...way, addresses: [...way.addresses] } : null;
      },
      askPassword: (host) => core.askProxyPassword(host),
    },
    routing: {
      samples: ({ addresses }) => routingSamples(core.preferences.forTunnel().routing, addresses),
    },
    routedApps: {
      list: () => core.routedPrograms.list(undefined),
      admit: ({ pid }) => core.admitProcess(pid),
    },
    connectionLog: {
      get: () => [...core.connectionLog.entries()],
      clear: () => core.connectionLog.clear(),
    },
  });
}
