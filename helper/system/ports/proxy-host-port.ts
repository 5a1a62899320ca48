import type { RoutingProxy } from '#shared/tunnel/state.ts';
import type { ProxyConfiguration } from '../../proxy/proxy-messages.ts';

/** How the unprivileged proxy runs on this machine. */
export interface ProxyHost {
  /** Whether this system has one. */
  isSupported(): boolean;
  /** A proxy that is not started yet. */
  create(): Promise<ProxyProcess>;
  endLeftOver(): Promise<void>;
}

/** The proxy on this machine that sends through the tunnel, in a process of its own. */
export interface ProxyProcess {
  /** Whether, by its last configuration, it continues when the helper has died. */
  readonly outlives: boolean;
  /** Where it listens; undefined before it has been configured. */
  readonly listening: (RoutingProxy & { port: number }) | undefined;
  /** Resolves when the configuration is in force; starts the process if there is none. */
  configure(configuration: ProxyConfiguration): Promise<void>;
  stop(): void;
}
