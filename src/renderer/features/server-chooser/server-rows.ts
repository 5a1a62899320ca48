import type { ServerGroup } from '#shared/entities.ts';
import { foldText } from '#shared/fold-text.ts';
import type { KeptServers } from '#shared/host/contract.ts';
import { listServers, type ListedServer } from '#shared/plan/usable-group.ts';
import { countryName } from '../../i18n/country-name.ts';
import { countryNames } from './server-place.ts';

/** A row of the chooser's list. */
export type ServerRow =
  | { kind: 'fastest'; key: 'fastest' }
  /** The following servers are listed twice, as favourites or recent servers. */
  | { kind: 'kept'; key: string; kept: keyof KeptServers }
  | { kind: 'group'; key: string; group: ServerGroup }
  /** Undefined: the location of these servers is not known. */
  | { kind: 'country'; key: string; country: string | undefined; count: number }
  /** `isKept`: below favourites or recents, where no heading has the country. */
  | { kind: 'server'; key: string; server: ListedServer; isKept: boolean };

/** Rows that can be chosen. */
export type OptionRow = Extract<ServerRow, { kind: 'fastest' | 'server' }>;
export const isOption = (row: ServerRow): row is OptionRow => row.kind === 'fastest' || row.kind === 'server';

export interface ServerRowsOptions {
  groups: readonly ServerGroup[];
  query: string;
  /** The language's tag. */
  language: string;
  kept: KeptServers;
  /** Whether there is an entry for the fastest server. */
  hasFastest: boolean;
}

/** With fewer servers, all are in view anyway. */
const recentsFrom = 9;
const recentsShown = 3;

/**
 * The servers that contain every word of the query, below their groups and countries; empty groups and countries are
 * left out. Without a query, what is quickest to choose comes first.
 */
export function serverRows({ groups, query, language, kept, hasFastest }: ServerRowsOptions): ServerRow[] {
  const words = foldText(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = groups.flatMap((group): ServerRow[] => {
    const servers = listServers([group]).filter((server) =>
      words.every((word) => searchedText(server).includes(word)),
    );
    if (servers.length === 0) return [];
    return [{ kind: 'group', key: `group ${group.id}`, group }, ...rowsByCountry(group, servers, language)];
  });
  return words.length > 0 ? found : [...quickRows(groups, kept, hasFastest), ...found];
}

/** Prepares what is listed and searched, so that neither the list nor the first letter has to wait for it. */
export function prepareRows(groups: readonly ServerGroup[], language: string): void {
  for (const group of groups) {
    const servers = listServers([group]);
    rowsByCountry(group, servers, language);
    for (const server of servers) searchedText(server);
  }
}

const texts = new WeakMap<ServerGroup, Map<string, string>>();

/** Cached for each list, so that typing does not have to wait for it. */
function searchedText(server: ListedServer): string {
  const { group, serverId, name, domain, city = '', country } = server;
  const ofGroup = texts.get(group) ?? new Map<string, string>();
  texts.set(group, ofGroup);
  const known = ofGroup.get(serverId);
  if (known !== undefined) return known;
  const own = foldText(`${name} ${domain} ${city} ${group.name}`);
  const text = country === undefined ? own : `${own} ${countryNames(country)}`;
  ofGroup.set(serverId, text);
  return text;
}

const serverRow = (server: ListedServer): ServerRow => ({
  kind: 'server',
  key: server.serverId,
  server,
  isKept: false,
});

const collators = new Map<string, Intl.Collator>();

/** Creating one takes longer than sorting with it. */
function collator(language: string): Intl.Collator {
  const known = collators.get(language) ?? new Intl.Collator(language);
  collators.set(language, known);
  return known;
}

/** Sorted by the countries' names, those without a country last; in the operator's order if none has one. */
function rowsByCountry(group: ServerGroup, servers: readonly ListedServer[], language: string): ServerRow[] {
  if (servers.every(({ country }) => country === undefined)) return servers.map(serverRow);
  const byCountry = new Map<string | undefined, ListedServer[]>(servers.map(({ country }) => [country, []]));
  for (const server of servers) byCountry.get(server.country)?.push(server);
  const { compare } = collator(language);
  const name = (country: string | undefined) => (country === undefined ? '' : countryName(country, language));
  return [...byCountry]
    .toSorted(([one], [other]) => {
      if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
      return compare(name(one), name(other));
    })
    .flatMap(([country, inCountry]): ServerRow[] => [
      { kind: 'country', key: `country ${group.id} ${country}`, country, count: inCountry.length },
      ...inCountry.map(serverRow),
    ]);
}

function quickRows(groups: readonly ServerGroup[], kept: KeptServers, hasFastest: boolean): ServerRow[] {
  const servers = listServers(groups);
  const section = (name: keyof KeptServers, ids: readonly string[]): ServerRow[] => {
    const rows = ids.flatMap((id): ServerRow[] => {
      const server = servers.find(({ serverId }) => serverId === id);
      return server ? [{ kind: 'server', key: `${name} ${id}`, server, isKept: true }] : [];
    });
    return rows.length > 0 ? [{ kind: 'kept', key: name, kept: name }, ...rows] : [];
  };
  const isListed = (id: string) => servers.some(({ serverId }) => serverId === id);
  const recents = kept.recents.filter((id) => isListed(id) && !kept.favourites.includes(id));
  return [
    ...(hasFastest && servers.length > 1 ? [{ kind: 'fastest', key: 'fastest' } as const] : []),
    ...section('favourites', kept.favourites),
    ...(servers.length >= recentsFrom ? section('recents', recents.slice(0, recentsShown)) : []),
  ];
}
