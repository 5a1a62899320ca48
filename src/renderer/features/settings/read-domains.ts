import { domainChoice } from '#shared/host/contract.ts';
import { listedDomain } from '#shared/tunnel/domain-name.ts';

/** The domains of a list that somebody typed, also as addresses of pages; undefined if one is none. */
export function readDomains(text: string): string[] | undefined {
  const listed = text.split(/[\s,，、;]+/).filter(Boolean);
  const hosts = listed.map((entry) => entry.replace(/^https?:\/\//i, '').replace(/[/?#:].*$/, ''));
  return domainChoice.shape.through.safeParse([...new Set(hosts.map(listedDomain))]).data;
}
