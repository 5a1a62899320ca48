import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import ipaddr from 'ipaddr.js';

/** The lists that apps route by: prefixes by country (ISO 3166-1 alpha-2, in lower case) and names of sites. */
export interface RouteLists {
  ipv4Prefixes: ReadonlyMap<string, string[]>;
  /** Each name includes its subdomains. */
  routeDomains: string[];
  blockedDomains: string[];
}

export const noRouteLists: RouteLists = { ipv4Prefixes: new Map(), routeDomains: [], blockedDomains: [] };

const domain = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9-]{2,63}$/;

/**
 * Reads `<country>-ipv4-prefixes.txt`, `blocked-domains.txt` and `route-domains.txt`, or the file that is named
 * instead. A file that does not exist counts as empty, unless it was named. One entry per line; `#` begins a comment.
 * Throws an error that names the first invalid line.
 */
export async function readRouteLists(directory: string, named: string | undefined): Promise<RouteLists> {
  const names = await readdir(directory);
  const routeDomainsFile = named ?? 'route-domains.txt';
  if (named !== undefined && !names.includes(named)) {
    throw new Error(`WAYMAKER_ROUTE_DOMAINS_FILE: ${directory} has no ${named}`);
  }
  const read = (name: string, isEntry: (line: string) => boolean) =>
    names.includes(name) ? readEntries(path.join(directory, name), isEntry) : [];
  const ipv4Prefixes = new Map<string, string[]>();
  for (const name of names) {
    const country = /^([a-z]{2})-ipv4-prefixes\.txt$/.exec(name)?.[1];
    if (country) ipv4Prefixes.set(country, await read(name, isIpv4Prefix));
  }
  return {
    ipv4Prefixes,
    routeDomains: await read(routeDomainsFile, (line) => domain.test(line)),
    blockedDomains: await read('blocked-domains.txt', (line) => domain.test(line)),
  };
}

async function readEntries(file: string, isEntry: (line: string) => boolean): Promise<string[]> {
  const entries: string[] = [];
  for (const [index, raw] of (await readFile(file, 'utf8')).split('\n').entries()) {
    const line = raw.replace(/#.*/, '').trim();
    if (line === '') continue;
    if (!isEntry(line)) throw new Error(`${file}:${index + 1} is no entry of this list`);
    entries.push(line);
  }
  return entries;
}

/** In canonical form, with no bit set after the prefix. */
function isIpv4Prefix(line: string): boolean {
  return (
    ipaddr.IPv4.isValidCIDRFourPartDecimal(line) &&
    `${ipaddr.IPv4.networkAddressFromCIDR(line).toString()}/${line.split('/')[1]}` === line
  );
}
