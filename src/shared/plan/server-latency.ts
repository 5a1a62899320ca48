import * as z from 'zod/mini';
import type { Server } from '../entities.ts';

/** How long it took to open a connection to a server's gateway. */
export const serverLatency = z.object({
  serverId: z.string().check(z.minLength(1), z.maxLength(256)),
  /** Null: nothing answered in time. */
  milliseconds: z.nullable(z.number().check(z.nonnegative())),
  /** The connection went through the tunnel, so the time includes the tunnel's own latency. */
  throughTunnel: z.boolean(),
});
export type ServerLatency = z.infer<typeof serverLatency>;

/**
 * The server that answered first. Differences up to `withinMs` are ignored, and then the server that is listed first
 * wins. Undefined if none has answered.
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
