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
  routeLists: RouteLists;
}): Pick<Handlers, 'ipv4Prefixes' | 'ipv4Countries' | 'pac' | 'filterMyApps'> {
  // The same objects for every request, so that they are encoded only once.
  const { routeDomains, blockedDomains } = routeLists;
  const sites = { routeDomains, blockedDomains };
  const prefixes = new Map([...routeLists.ipv4Prefixes].map(([country, items]) => [country, { items }]));
  return {
    async ipv4Prefixes({ params }) {
      const ofCountry = prefixes.get(params.country.toLowerCase());
      return ofCountry ? done(ofCountry) : refused('not-found');
    },

    async ipv4Countries() {
      return done({ items: [...prefixes.keys()].sort() });
    },

    async pac() {
      return done(sites);
    },

    async filterMyApps({ body }) {
      const routed = new Set((await database.select().from(routeApps)).map(({ name }) => name));
      return done({ items: [...new Set(body.apps)].filter((name) => routed.has(name)) });
    },
  };
}
