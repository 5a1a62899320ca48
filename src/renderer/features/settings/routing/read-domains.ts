import { domainChoice } from '#shared/host/preferences.ts';
import { listedDomain } from '#shared/tunnel/domain-name.ts';

/** The domains in a list that somebody typed, possibly as addresses of pages; undefined if one is invalid. */
export function readDomains(text: string): string[] | undefined {
  const listed = text.split(/[\s,，、;]+/).filter(Boolean);
  const hosts = listed.map((entry) => entry.replace(/^https?:\/\//i, '').replace(/[/?#:].*$/, ''));
  return domainChoice.shape.through.safeParse([...new Set(hosts.map(listedDomain))]).data;
}
