import type { Server } from '../entities.ts';
import type { ServerLatency } from './server-latency.ts';

/**
 * The server that answered first, of those that may be chosen by themselves. Differences up to `withinMs` are ignored,
 * and then the server that is listed first wins. Undefined if none has answered.
 */
export function fastestServer<Usable extends Pick<Server, 'serverId'>>(
  usable: readonly Usable[],
  latencies: readonly ServerLatency[],
  withinMs = 0,
): Usable | undefined {
  const byServer = new Map(
    latencies.filter(mayBeChosen).map(({ serverId, milliseconds }) => [serverId, milliseconds]),
  );
  const latencyOf = ({ serverId }: Usable) => byServer.get(serverId) ?? Number.POSITIVE_INFINITY;
  const least = Math.min(...usable.map(latencyOf));
  return Number.isFinite(least) ? usable.find((server) => latencyOf(server) <= least + withinMs) : undefined;
}

const mayBeChosen = ({ isProven }: ServerLatency) => isProven !== false;

/** Nobody notices a smaller difference, and the operator has reasons for the order. */
export const noticeableMs = 20;

/**
 * `faster`: the one to change to. `stays`: none is noticeably faster than the one in use. `unknown`: the one in
 * use was never measured, or all others were measured through it alone, so that none can come out ahead of it.
 */
export type FasterServer<Usable> =
  | { outcome: 'faster'; server: Usable }
  | { outcome: 'stays' }
  | { outcome: 'unknown' };

/**
 * What the fastest server is, seen from the one in use, which cannot be measured itself. `latencies`: of the
 * measurement that was just made. `directMs`: of each server, what it took when it was last measured without a tunnel
 * in between.
 */
export function fasterServer<Usable extends Pick<Server, 'serverId'>>(
  inUse: Usable,
  usable: readonly Usable[],
  latencies: readonly ServerLatency[],
  directMs: ReadonlyMap<string, number>,
): FasterServer<Usable> {
  const compared = latencies
    .filter(mayBeChosen)
    .filter(({ serverId, milliseconds }) => serverId !== inUse.serverId && milliseconds !== null)
    .flatMap(({ serverId }) => {
      const milliseconds = directMs.get(serverId);
      return milliseconds === undefined ? [] : [{ serverId, milliseconds, throughTunnel: false }];
    });
  const fastest = fastestServer(usable, compared);
  if (!fastest) return { outcome: 'unknown' };
  const least = Math.min(...compared.map(({ milliseconds }) => milliseconds));
  // Whatever was measured through the tunnel came by the server in use.
  const bounds = latencies.flatMap(
    ({ throughTunnel, milliseconds }) => (throughTunnel && milliseconds) || [],
  );
  const inUseMs = directMs.get(inUse.serverId) ?? Math.min(...bounds);
  // Nothing says how far away it is.
  if (!Number.isFinite(inUseMs)) return { outcome: 'unknown' };
  return least + noticeableMs < inUseMs ? { outcome: 'faster', server: fastest } : { outcome: 'stays' };
}
