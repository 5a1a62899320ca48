import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { listedDomain } from '#shared/tunnel/domain-name.ts';
import { isCanonicalPrefix } from '#shared/tunnel/prefix.ts';
import { readTextFile } from '../read-text-file.ts';

/** The lists that apps route by: prefixes by country (ISO 3166-1 alpha-2, in lower case) and names of sites. */
export interface RouteLists {
  ipv4Prefixes: ReadonlyMap<string, string[]>;
  /** Each name includes its subdomains. */
  routeDomains: string[];
  blockedDomains: string[];
}

export const noRouteLists: RouteLists = { ipv4Prefixes: new Map(), routeDomains: [], blockedDomains: [] };

/**
 * Reads `<country>-ipv4-prefixes.txt`, `blocked-domains.txt` and `route-domains.txt`, or the file that is named
 * instead. A file that does not exist counts as empty, unless it was named. One entry per line; `#` begins a comment.
 * Entries are what apps accept; `onInvalid` gets the place of each other line (`FILE:LINE`), which is left out.
 */
export async function readRouteLists(
  directory: string,
  named: string | undefined,
  onInvalid: (place: string) => void,
): Promise<RouteLists> {
  const names = await readdir(directory);
  const routeDomainsFile = named ?? 'route-domains.txt';
  if (named !== undefined && !names.includes(named)) {
    throw new Error(`WAYMAKER_ROUTE_DOMAINS_FILE: ${directory} has no ${named}`);
  }
  const read = (name: string, readEntry: ReadEntry) =>
    names.includes(name) ? readEntries(path.join(directory, name), readEntry, onInvalid) : [];
  const ipv4Prefixes = new Map<string, string[]>();
  for (const name of names) {
    const country = /^([a-z]{2})-ipv4-prefixes\.txt$/.exec(name)?.[1];
    if (country) ipv4Prefixes.set(country, await read(name, ipv4Prefix));
  }
  return {
    ipv4Prefixes,
    routeDomains: await read(routeDomainsFile, listedDomain),
    blockedDomains: await read('blocked-domains.txt', listedDomain),
  };
}

/** The entry on a line, as apps compare it; undefined if it is none. */
type ReadEntry = (line: string) => string | undefined;

async function readEntries(
  file: string,
  readEntry: ReadEntry,
  onInvalid: (place: string) => void,
): Promise<string[]> {
  const entries: string[] = [];
  for (const [index, raw] of (await readTextFile(file)).split('\n').entries()) {
    const line = raw.replace(/#.*/, '').trim();
    if (line === '') continue;
    const entry = readEntry(line);
    if (entry === undefined) onInvalid(`${file}:${index + 1}`);
    else entries.push(entry);
  }
  return entries;
}

const ipv4Prefix: ReadEntry = (line) => (!line.includes(':') && isCanonicalPrefix(line) ? line : undefined);
