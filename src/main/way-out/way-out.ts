import type { ProxyPlace } from './proxy-setting.ts';

/** A proxy that leads to a host. */
export interface WayOut extends ProxyPlace {
  /** The proxy's own addresses, at least one. */
  addresses: readonly string[];
  /** Whether a script names it that the network has named (WPAD): the network may be anybody's. */
  isOfNetwork?: boolean;
  /** The key that it has proved itself with last, if it speaks TLS. */
  certificatePin?: string | undefined;
}
