import * as z from 'zod/mini';
import { serverId } from './server-id.ts';

/** How long it took to open a connection to a server's gateway. */
export const serverLatency = z.object({
  serverId,
  /** Null: nothing answered in time. */
  milliseconds: z.nullable(z.number().check(z.nonnegative())),
  /** The connection went through the tunnel, so the time includes the tunnel's own latency. */
  throughTunnel: z.boolean(),
  /**
   * Whether the gateway proved its identity, so that a tunnel can be made to it; absent if nothing answered, or if the
   * app does not say. A server that did not is never chosen by itself.
   */
  isProven: z.optional(z.boolean()),
});
export type ServerLatency = z.infer<typeof serverLatency>;
