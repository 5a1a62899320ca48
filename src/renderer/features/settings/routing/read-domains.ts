import { domainChoice } from '#shared/host/preferences.ts';
import { listedDomain } from '#shared/tunnel/domain-name.ts';

/** The domains in a list that somebody typed, possibly as addresses of pages; undefined if one is invalid. */
export function readDomains(text: string): string[] | undefined {
  // Keyboards of East Asia write commas, semicolons, colons and slashes in full width.
  const listed = text
    .normalize('NFKC')
    .split(/[\s,、;]+/)
    .filter(Boolean);
  const hosts = listed.map((entry) => entry.replace(/^https?:\/\//i, '').replace(/[/?#:].*$/, ''));
  return domainChoice.shape.through.safeParse([...new Set(hosts.map(listedDomain))]).data;
}
