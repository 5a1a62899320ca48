/** The ports of captive portals' pages: those of http and https, and their usual alternatives. */
export const portalPorts = [80, 443, 8080, 8443] as const;

/** A user's access to a captive portal's pages, while everything else of theirs is blocked. */
export interface PortalRules {
  /** The port of the portal's proxy on this machine, for its client only. */
  proxyPort: number;
  /** The user who may use it. */
  client: string;
  /** The resolvers that the network has assigned; the proxy asks them. */
  resolvers: readonly string[];
  /** When it ends, by `performance.now()`. */
  until: number;
}

/** How a captive portal's proxy runs on this machine: as an unprivileged user whose packets the filter can let out. */
export interface PortalHost {
  /** Whether this system has one. */
  isSupported(): boolean;
  /** Starts one that asks these resolvers; `onEnd`: it has ended by itself. It ends when the helper does. */
  start(resolvers: readonly string[], onEnd: () => void): Promise<{ port: number; stop: () => void }>;
}
