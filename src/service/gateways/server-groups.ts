import { isServerItemOffered } from '#shared/plan/entitlement.ts';
import { asciiHost } from '#shared/tunnel/domain-name.ts';
import { asc } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { done } from '../http/refusal.ts';
import { readEntitlement } from '../database/entitlement-rows.ts';
import { serverGroupItems, serverGroups, servers } from '../database/schema/gateways.ts';

/**
 * The server groups in order. Trial groups are listed for users who have a trial, even if it has ended (the app then
 * says so), until their first order. Users who have or had a plan see the servers that it allows. Members see what
 * their payer has.
 */
export function serverGroupHandlers({
  database,
  now,
}: {
  database: Database;
  now: () => Date;
}): Pick<Handlers, 'serverGroups'> {
  return {
    async serverGroups({ device }) {
      const [entitlement, groups, items, allServers] = await Promise.all([
        readEntitlement(database, device, now()),
        database.select().from(serverGroups).orderBy(asc(serverGroups.position)),
        database.select().from(serverGroupItems).orderBy(asc(serverGroupItems.position)),
        database.select().from(servers).orderBy(asc(servers.position)),
      ]);
      const serversByItem = Map.groupBy(allServers, ({ itemId }) => itemId);
      const itemsByGroup = Map.groupBy(items, ({ groupId }) => groupId);
      const trialUntil = entitlement.trial && new Date(entitlement.trial.until).toISOString();
      const offered = (group: { id: string; isTrial: boolean }) =>
        (itemsByGroup.get(group.id) ?? []).filter(({ level }) =>
          isServerItemOffered(entitlement, { level, isTrial: group.isTrial }),
        );
      return done({
        items: groups
          .filter(({ isTrial }) => !isTrial || trialUntil)
          .filter((group) => !itemsByGroup.has(group.id) || offered(group).length > 0)
          .map(({ id, name, isTrial }) => ({
            id,
            name,
            isTrial,
            trialExpiredAt: isTrial ? (trialUntil ?? null) : null,
            items: offered({ id, isTrial }).map((item) => ({
              id: item.id,
              level: item.level,
              servers: (serversByItem.get(item.id) ?? []).map((server) => ({
                serverId: server.serverId,
                name: server.name,
                protocol: server.protocol ?? undefined,
                domain: asciiHost(server.domain),
                port: server.port ?? undefined,
                path: server.path ?? undefined,
                split: server.split ?? undefined,
                incoming: server.incoming ?? undefined,
                country: server.country ?? undefined,
                city: server.city ?? undefined,
                load: server.load ?? undefined,
              })),
            })),
          })),
      });
    },
  };
}
