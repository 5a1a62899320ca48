import { defaultGateway } from '../constants.ts';
import type { Server, ServerGroup, Service } from '../entities.ts';
import type { Gateway } from '../tunnel/state.ts';
import { isServiceExpired } from './service-expiry.ts';

/** Whether a group is on a trial that has not ended. A trial without an end has no countdown. */
export function isOnTrial(group: ServerGroup, now: number): boolean {
  return group.isTrial && (group.trialExpiredAt === null || Date.parse(group.trialExpiredAt) > now);
}

/**
 * Specification §4: usable if the service is not expired, the group is on trial, or the service is still
 * loading (undefined).
 */
export function isGroupUsable(group: ServerGroup, service: Service | undefined, now: number): boolean {
  return service === undefined || !isServiceExpired(service, now) || isOnTrial(group, now);
}

export interface ListedServer extends Server {
  group: ServerGroup;
  level: number;
}

/** The servers of all groups in display order: group by group, each sorted by level. */
export function listServers(groups: readonly ServerGroup[]): ListedServer[] {
  return groups.flatMap((group) =>
    group.items
      .toSorted((one, other) => one.level - other.level)
      .flatMap((item) => item.servers.map((server) => ({ ...server, group, level: item.level }))),
  );
}

/**
 * The server that Connect uses: the chosen one, or the first if none is chosen or the chosen one may not be used now.
 * Undefined if there is none.
 */
export function serverFor<Usable extends Server>(
  usable: readonly Usable[],
  chosenId: string | null | undefined,
): Usable | undefined {
  return usable.find(({ serverId }) => serverId === chosenId) ?? usable[0];
}

/**
 * Where a sign-in begins. Without a path, it may be anywhere at that gateway. `serverId`: the server that was meant, if
 * it is known which one.
 */
export type SignInPlace = Gateway & { path?: string | undefined; serverId?: string | undefined };

/** Whether a tunnel to this place is a tunnel to this server; several servers may share a host, or even a gateway. */
export function isServerAt(
  server: Pick<Server, 'domain' | 'port' | 'path'>,
  { host, port, path }: SignInPlace,
): boolean {
  return (
    server.domain === host &&
    (server.port ?? defaultGateway.port) === port &&
    (path === undefined || (server.path ?? '/') === path)
  );
}

/** The server by which users know this place; if several share it, the one that was meant, or the chosen one. */
export function serverAt(
  place: SignInPlace,
  servers: readonly ListedServer[],
  chosen: ListedServer | undefined,
): ListedServer | undefined {
  const there = [...(chosen ? [chosen] : []), ...servers].filter((server) => isServerAt(server, place));
  return there.find(({ serverId }) => serverId === place.serverId) ?? there[0];
}
