import { asc } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { done } from '../http/refusal.ts';
import { serverGroupItems, serverGroups, servers } from '../database/schema.ts';

/**
 * The server groups, in their order. Trial groups belong to users who have a trial, also when it is over (the app
 * then says so), until the first order. Members have what their payer has.
 */
export function serverGroupHandlers({ database }: { database: Database }): Pick<Handlers, 'serverGroups'> {
  return {
    async serverGroups({ device: { owner } }) {
      const [groups, items, allServers] = await Promise.all([
        database.select().from(serverGroups).orderBy(asc(serverGroups.position)),
        database.select().from(serverGroupItems).orderBy(asc(serverGroupItems.position)),
        database.select().from(servers).orderBy(asc(servers.position)),
      ]);
      const serversByItem = Map.groupBy(allServers, ({ itemId }) => itemId);
      const itemsByGroup = Map.groupBy(items, ({ groupId }) => groupId);
      const trialExpiredAt = owner.firstOrderDone ? null : owner.trialExpiredAt;
      return done({
        items: groups
          .filter(({ isTrial }) => !isTrial || trialExpiredAt)
          .map(({ id, name, isTrial }) => ({
            id,
            name,
            isTrial,
            trialExpiredAt: isTrial ? (trialExpiredAt?.toISOString() ?? null) : null,
            items: (itemsByGroup.get(id) ?? []).map((item) => ({
              id: item.id,
              level: item.level,
              servers: (serversByItem.get(item.id) ?? []).map((server) => ({
                serverId: server.serverId,
                name: server.name,
                protocol: server.protocol ?? undefined,
                domain: server.domain,
                port: server.port ?? undefined,
                path: server.path ?? undefined,
                split: server.split ?? undefined,
              })),
            })),
          })),
      });
    },
  };
}
