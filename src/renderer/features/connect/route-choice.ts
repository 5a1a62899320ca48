import type { Host } from '#shared/host/contract.ts';
import type { RouteConfig, RouteMode } from '#shared/tunnel/route-config.ts';
import type { FetchApi } from '../../api/use-api.ts';

/** What the user chooses between (specification §4, route mode). */
export type RouteChoice = 'global' | 'automatic';

/** How an app routes when it does so automatically, or undefined if it can route everything only. */
export function automaticMode(modes: readonly RouteMode[]): Exclude<RouteMode, 'global'> | undefined {
  // An app that has several is on a platform where the first of these is the finest.
  const finest = ['app', 'ip', 'pac'] as const;
  return finest.find((mode) => modes.includes(mode));
}

/** Whose addresses are reached through the tunnel where routing goes by address (specification §4). */
const routedCountry = 'cn';

/** What an automatic mode routes, as the service knows it. Throws ApiCallFailed if it cannot be asked. */
export async function automaticConfig(
  mode: Exclude<RouteMode, 'global'>,
  host: Host,
  fetchApi: FetchApi,
): Promise<RouteConfig> {
  switch (mode) {
    case 'app': {
      const apps = await host.apps.installed();
      const { items } = await fetchApi('filterMyApps', { body: { apps } });
      return { mode, routeApps: items };
    }
    case 'ip': {
      const { items } = await fetchApi('ipv4Prefixes', { params: { country: routedCountry } });
      return { mode, routeIps: items };
    }
    case 'pac':
      return { mode, pac: await fetchApi('pac') };
    default:
      return mode satisfies never;
  }
}
