import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { listedDomain } from '#shared/tunnel/domain-name.ts';
import { isCanonicalPrefix } from '#shared/tunnel/prefix.ts';
import { followFile, type FollowedFile } from '../followed-file.ts';

/** The lists that apps route by, each as a call answers with it. */
export interface RouteLists {
  /** Prefixes by country (ISO 3166-1 alpha-2, in lower case). */
  ipv4Prefixes: ReadonlyMap<string, { items: string[] }>;
  /** Names of sites; each includes its subdomains. */
  sites: { routeDomains: string[]; blockedDomains: string[] };
}

interface FollowedRouteLists {
  /** The same objects until something has changed. */
  readonly lists: RouteLists;
  /** Takes up what has changed on disk. */
  look(): Promise<void>;
}

export const noRouteLists: RouteLists = {
  ipv4Prefixes: new Map(),
  sites: { routeDomains: [], blockedDomains: [] },
};

interface ListLog {
  /** Gets the place of each line that is no entry (`FILE:LINE`), and left out. */
  onInvalid: (place: string) => void;
  onProblem: (problem: unknown) => void;
}

/**
 * Reads `<country>-ipv4-prefixes.txt`, `blocked-domains.txt` and `route-domains.txt`, or the file that is named
 * instead, and follows them. A file that does not exist counts as empty, unless it was named. One entry per line; `#`
 * begins a comment. Entries are what apps accept.
 */
export async function followRouteLists(
  directory: string,
  named: string | undefined,
  log: ListLog,
): Promise<FollowedRouteLists> {
  const routeDomainsFile = named ?? 'route-domains.txt';
  const follow = (name: string, readEntry: ReadEntry) => {
    const file = path.join(directory, name);
    return followFile<List>(file, {
      read(text, last) {
        if (text === undefined && name === named) {
          throw new Error(`WAYMAKER_ROUTE_DOMAINS_FILE: ${directory} has no ${named}`);
        }
        return text === undefined ? undefined : readList(file, readEntry, text, last, log.onInvalid);
      },
      onProblem: log.onProblem,
    });
  };
  const routeDomains = follow(routeDomainsFile, listedDomain);
  const blockedDomains = follow('blocked-domains.txt', listedDomain);
  const byCountry = new Map<string, FollowedFile<List>>();
  /** Lists of countries that were not followed before. */
  const newOf = (names: string[]) =>
    names.flatMap((name) => {
      const country = /^([a-z]{2})-ipv4-prefixes\.txt$/.exec(name)?.[1];
      if (country === undefined || byCountry.has(country)) return [];
      const list = follow(name, ipv4Prefix);
      byCountry.set(country, list);
      return [list];
    });
  const listed = (): RouteLists => ({
    ipv4Prefixes: new Map(
      [...byCountry].flatMap(([country, { content }]) =>
        content ? [[country, { items: content.entries }]] : [],
      ),
    ),
    sites: {
      routeDomains: routeDomains.content?.entries ?? [],
      blockedDomains: blockedDomains.content?.entries ?? [],
    },
  });

  for (const list of newOf(await readdir(directory))) await list.open();
  await routeDomains.open();
  await blockedDomains.open();
  let lists = listed();
  let told: string | undefined;
  return {
    get lists() {
      return lists;
    },

    async look() {
      try {
        const names = await readdir(directory);
        newOf(names);
        const all = [routeDomains, blockedDomains, ...byCountry.values()];
        if (names.length === 0 && all.some(({ content }) => content)) {
          throw new Error(`${directory} is empty, as a place is where nothing is mounted`);
        }
        told = undefined;
        let hasNew = false;
        for (const list of all) hasNew = (await list.look()) || hasNew;
        if (hasNew) lists = listed();
      } catch (error) {
        if (String(error) !== told) log.onProblem(error);
        told = String(error);
      }
    },
  };
}

/** The entry on a line, as apps compare it; undefined if it is none. */
type ReadEntry = (line: string) => string | undefined;

interface List {
  entries: string[];
  /** Whether its last line has an end. */
  isEnded: boolean;
}

/**
 * Throws if what is there now is not the whole of a list, as while it is written, or after whoever wrote it was
 * stopped: the rest of a prefix may be another one.
 */
function readList(
  file: string,
  readEntry: ReadEntry,
  text: string,
  last: List | undefined,
  onInvalid: (place: string) => void,
): List {
  const isEnded = text.endsWith('\n');
  if (last?.isEnded && !isEnded) throw new Error(`${file} ends within a line`);
  const entries: string[] = [];
  const invalid: number[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/#.*/, '').trim();
    if (line === '') continue;
    const entry = readEntry(line);
    if (entry === undefined) invalid.push(index + 1);
    else entries.push(entry);
  }
  if (last && entries.length === 0 && invalid.length > 0)
    throw new Error(`${file} has no entry of this list`);
  for (const line of invalid) onInvalid(`${file}:${line}`);
  return { entries, isEnded };
}

const ipv4Prefix: ReadEntry = (line) => (!line.includes(':') && isCanonicalPrefix(line) ? line : undefined);
