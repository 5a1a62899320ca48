import type { Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import type { RouteLists } from './route-lists.ts';
import { routeApps } from '../database/schema/pages.ts';

/** The lists that apps need for routing by address, site and program. */
export function routeHandlers({
  database,
  routeLists,
}: {
  database: Database;
  routeLists: () => RouteLists;
}): Pick<Handlers, 'ipv4Prefixes' | 'ipv4Countries' | 'pac' | 'filterMyApps'> {
  return {
    async ipv4Prefixes({ params }) {
      const ofCountry = routeLists().ipv4Prefixes.get(params.country.toLowerCase());
      return ofCountry ? done(ofCountry) : refused('not-found');
    },

    async ipv4Countries() {
      return done({ items: [...routeLists().ipv4Prefixes.keys()].sort() });
    },

    async pac() {
      return done(routeLists().sites);
    },

    async filterMyApps({ body }) {
      const routed = new Set((await database.select().from(routeApps)).map(({ name }) => name));
      return done({ items: [...new Set(body.apps)].filter((name) => routed.has(name)) });
    },
  };
}
