import { enclosingDomains, listedDomain } from './domain-name.ts';

/** The domains of a list in canonical form, without duplicates; entries that are not domain names are left out. */
export function readDomains(list: readonly string[]): Set<string> {
  const domains = new Set<string>();
  for (const entry of list) {
    const domain = listedDomain(entry);
    if (domain !== undefined) domains.add(domain);
  }
  return domains;
}

/**
 * The domains that are not below another one of the set; together they match the same names. Domains that are needed
 * below one of `except` stay.
 */
export function withoutSubdomains(domains: ReadonlySet<string>, except: ReadonlySet<string>): string[] {
  return [...domains].filter((domain) => {
    for (const other of enclosingDomains(domain)) {
      if (other !== domain && domains.has(other)) return false;
      if (except.has(other)) return true;
    }
    return true;
  });
}

/**
 * Whether a canonical name is blocked: the most specific entry that contains it decides. If both lists have that entry,
 * it is blocked.
 */
export function isBlocked(
  name: string,
  lists: { routed: ReadonlySet<string>; blocked: ReadonlySet<string> },
): boolean {
  for (const domain of enclosingDomains(name)) {
    if (lists.blocked.has(domain)) return true;
    if (lists.routed.has(domain)) return false;
  }
  return false;
}
