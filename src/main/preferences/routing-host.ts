import type { Logger } from 'pino';
import { isDeepStrictEqual } from 'node:util';
import { helperMaxFrameBytes } from '#shared/helper/protocol.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import { listedDomain } from '#shared/tunnel/domain-name.ts';
import { fitPacFile } from '#shared/tunnel/pac-file.ts';
import { routeConfig, type RouteConfig } from '#shared/tunnel/route-config.ts';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { KeyValueFile } from './settings.ts';

/** A choice that can be put in the helper protocol's words (specification §4, route mode). */
type DesktopRouteConfig = Extract<RouteConfig, { mode: Routing['mode'] }>;
const translatable = ['global', 'pac'] as const satisfies readonly Routing['mode'][];

/** The modes to offer: what the helper has; or any, as long as no helper has said so. */
export const offeredModes = (capabilities: readonly string[] | undefined): Routing['mode'][] =>
  translatable.filter((mode) => capabilities?.includes(`routing.${mode}`) ?? true);

/** What the user chose to route, kept over restarts: the host contract's `routing` group. */
export interface RoutingHost {
  readonly host: HostImplementation['routing'];
  /** What a tunnel is to be made with. */
  current(): Routing;
  /** Routes a connection in progress, if there is one, as `current` says now; rejects if that failed. */
  apply(): Promise<void>;
}

export interface RoutingHostOptions {
  file: KeyValueFile;
  /** Whether directly attached networks stay reachable. */
  localNetwork: () => boolean;
  tunnel: {
    state(): TunnelState;
    /** Routes a connection in progress anew, if there is one; rejects if that failed. */
    reroute(routing: Routing): Promise<void>;
  };
  log: Logger;
}

const key = 'config';

/** In JSON; the helper lets go whoever sends longer frames. The rest of one takes less than what is left for it. */
const mostBytes = helperMaxFrameBytes - 64 * 1024;

export function createRoutingHost({ file, localNetwork, tunnel, log }: RoutingHostOptions): RoutingHost {
  function stored(): DesktopRouteConfig {
    try {
      const parsed = routeConfig.safeParse(file.get(key));
      if (parsed.success && isForDesktop(parsed.data)) return parsed.data;
    } catch (error) {
      log.warn({ err: error }, 'the routing that was chosen cannot be read');
    }
    return { mode: 'global' };
  }

  function routingOf(config: DesktopRouteConfig): Routing {
    if (config.mode === 'global') return { mode: 'global', localNetwork: localNetwork() };
    const [routed, blocked] = [namesOf(config.pac.routeDomains), namesOf(config.pac.blockedDomains)];
    const leftOut = routed.leftOut + blocked.leftOut;
    if (leftOut > 0) log.warn({ leftOut }, 'entries of the lists are no domain names and are left out');
    return { mode: 'pac', routeDomains: routed.names, blockedDomains: blocked.names };
  }

  /** Where the proxy listens is the tunnel's to say. */
  function withoutProxy(config: DesktopRouteConfig): DesktopRouteConfig {
    if (config.mode === 'global') return config;
    const { routeDomains, blockedDomains } = config.pac;
    return { mode: 'pac', pac: { routeDomains, blockedDomains } };
  }

  async function choose(given: RouteConfig): Promise<boolean> {
    if (!isForDesktop(given)) return false;
    const [before, config] = [stored(), withoutProxy(given)];
    if (isDeepStrictEqual(before, config)) return true;
    if (Buffer.byteLength(JSON.stringify(config)) > mostBytes) {
      log.warn({ mode: config.mode }, 'the lists are too long for the helper');
      return false;
    }
    const wanted = routingOf(config);
    // The helper would say so too, but only once there is to be a tunnel.
    if (wanted.mode === 'pac' && !fitPacFile(wanted)) {
      log.warn('the lists are too long for a PAC file');
      return false;
    }
    try {
      file.set(key, config);
      await tunnel.reroute(wanted);
      return true;
    } catch (error) {
      log.warn({ err: error, mode: config.mode }, 'the routing cannot be changed');
      restore(before);
      return false;
    }
  }

  /** One choice after the other: one that fails late must not take back what was chosen since. */
  const enqueue = createSerialQueue();

  return {
    current: () => routingOf(stored()),
    apply: () => enqueue(() => tunnel.reroute(routingOf(stored()))),
    host: {
      get() {
        const config = stored();
        const state = tunnel.state();
        if (config.mode !== 'pac' || state.state !== 'connected' || state.routing.mode !== 'pac')
          return config;
        return { ...config, pac: { ...config.pac, socks5Proxy: state.routing.proxy?.address } };
      },
      set: (given) => enqueue(() => choose(given)),
    },
  };

  function restore(config: DesktopRouteConfig): void {
    try {
      file.set(key, config);
    } catch (error) {
      log.warn({ err: error }, 'the routing that was chosen cannot be kept');
    }
  }
}

/** The domains of a list as the helper takes them, and how many entries are none. */
function namesOf(list: readonly string[]): { names: string[]; leftOut: number } {
  const names = list.map(listedDomain).filter((name) => name !== undefined);
  return { names, leftOut: list.length - names.length };
}

function isForDesktop(config: RouteConfig): config is DesktopRouteConfig {
  return translatable.some((mode) => mode === config.mode);
}
