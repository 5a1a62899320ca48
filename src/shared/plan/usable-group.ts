import { defaultGateway } from '../constants.ts';
import type { Server, ServerGroup, Service } from '../entities.ts';
import type { Gateway } from '../tunnel/state.ts';
import { isServiceExpired } from './service-expiry.ts';

/** A group on a trial that has not ended. A trial without an end has no countdown. */
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

/** The servers of all groups, in the order in which they are shown: each group's by level. */
export function listServers(groups: readonly ServerGroup[]): ListedServer[] {
  return groups.flatMap((group) =>
    group.items
      .toSorted((one, other) => one.level - other.level)
      .flatMap((item) => item.servers.map((server) => ({ ...server, group, level: item.level }))),
  );
}

/**
 * The server that Connect goes to: the one with the chosen id, or where none is chosen, or it may not be used now, the
 * first. Undefined if there is none.
 */
export function serverFor<Usable extends Server>(
  usable: readonly Usable[],
  chosenId: string | null | undefined,
): Usable | undefined {
  return usable.find(({ serverId }) => serverId === chosenId) ?? usable[0];
}

/** Whether the tunnel that leads to this gateway is one to this server; several may share a host. */
export function isServerAt(server: Pick<Server, 'domain' | 'port'>, { host, port }: Gateway): boolean {
  return server.domain === host && (server.port ?? defaultGateway.port) === port;
}

/** The server that users know this gateway by: where several share it, most likely the chosen one. */
export function serverAt(
  gateway: Gateway,
  servers: readonly ListedServer[],
  chosen: ListedServer | undefined,
): ListedServer | undefined {
  return [...(chosen ? [chosen] : []), ...servers].find((server) => isServerAt(server, gateway));
}
