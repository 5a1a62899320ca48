import * as z from 'zod/mini';
import type { Server } from '../entities.ts';

/** How long it took to open a connection to a server's gateway. */
export const serverLatency = z.object({
  serverId: z.string().check(z.minLength(1), z.maxLength(256)),
  /** Null: nothing answered in time. */
  milliseconds: z.nullable(z.number().check(z.nonnegative())),
  /** The way led through the tunnel, and its own length is in it. */
  throughTunnel: z.boolean(),
});
export type ServerLatency = z.infer<typeof serverLatency>;

/**
 * The server that answered first. `withinMs`: a difference so small counts as none, and then the one that is listed
 * first is better. Undefined if none has answered.
 */
export function fastestServer<Usable extends Pick<Server, 'serverId'>>(
  usable: readonly Usable[],
  latencies: readonly ServerLatency[],
  withinMs = 0,
): Usable | undefined {
  const byServer = new Map(latencies.map(({ serverId, milliseconds }) => [serverId, milliseconds]));
  const latencyOf = ({ serverId }: Usable) => byServer.get(serverId) ?? Number.POSITIVE_INFINITY;
  const least = Math.min(...usable.map(latencyOf));
  return Number.isFinite(least) ? usable.find((server) => latencyOf(server) <= least + withinMs) : undefined;
}
