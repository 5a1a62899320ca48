import type { Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import type { RouteLists } from './route-lists.ts';
import { routeApps } from '../database/schema.ts';

/** What apps need to route by address, by site and by program. */
export function routeHandlers({
  database,
  routeLists,
}: {
  database: Database;
  routeLists: RouteLists;
}): Pick<Handlers, 'ipv4Prefixes' | 'pac' | 'filterMyApps'> {
  return {
    async ipv4Prefixes({ params }) {
      const items = routeLists.ipv4Prefixes.get(params.country.toLowerCase());
      return items ? done({ items }) : refused('not-found');
    },

    async pac() {
      const { routeDomains, blockedDomains } = routeLists;
      return done({ routeDomains, blockedDomains });
    },

    async filterMyApps({ body }) {
      const routed = new Set((await database.select().from(routeApps)).map(({ name }) => name));
      return done({ items: [...new Set(body.apps)].filter((name) => routed.has(name)) });
    },
  };
}
