import type { Registry } from '../calls/registry.ts';

/**
 * The lists of search domains that count for all interfaces, in the order in which Windows looks for one that is not
 * empty: an administrator's, and the machine's own. With one, it looks at no interface's (Microsoft, “Configure a
 * domain suffix search list”; OpenVPN 749, netclient 1111).
 */
const listKeys = [
  'SOFTWARE\\Policies\\Microsoft\\Windows NT\\DNSClient',
  'SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters',
] as const;
const listName = 'SearchList';

/** Beside a list: which of its domains are ours, so that they are found again whatever has happened to the journal. */
const oursName = 'WaymakerSearchList';

type Values = Pick<Registry, 'value' | 'setValue' | 'deleteValue'>;

/** Adds the tunnel's domains to the list that counts, if there is one. What others have in it is never changed. */
export function createSearchLists(registry: Values) {
  function domainsIn(key: string, name: string): string[] {
    const value = registry.value(key, name);
    return value?.kind === 'text' ? value.text.split(/[\s,]+/).filter(Boolean) : [];
  }

  const write = (key: string, name: string, domains: readonly string[]) =>
    registry.setValue(key, name, { kind: 'text', text: domains.join(',') });

  const othersIn = (key: string) => without(domainsIn(key, listName), domainsIn(key, oursName));

  /** What each list should have of ours: only the one that counts, and that its others have not. */
  function wantedFor(domains: readonly string[]): { key: string; ours: string[] }[] {
    const inForce = listKeys.find((key) => othersIn(key).length > 0);
    return listKeys.map((key) => ({ key, ours: key === inForce ? without(domains, othersIn(key)) : [] }));
  }

  const isThere = ({ key, ours }: { key: string; ours: readonly string[] }) =>
    isSame(domainsIn(key, oursName), ours) && without(ours, domainsIn(key, listName)).length === 0;

  return {
    isInForce: (domains: readonly string[]): boolean => wantedFor(domains).every(isThere),
    /**
     * Replaces those of an earlier call, also of an earlier helper; none takes all out. Whether something has changed.
     */
    set(domains: readonly string[]): boolean {
      const missing = wantedFor(domains).filter((one) => !isThere(one));
      for (const { key, ours } of missing) {
        const others = othersIn(key);
        // First: a helper that ends in between has left nothing that is not noted down.
        write(key, oursName, [...domainsIn(key, oursName), ...ours]);
        write(key, listName, [...others, ...ours]);
        if (ours.length > 0) write(key, oursName, ours);
        else registry.deleteValue(key, oursName);
      }
      return missing.length > 0;
    },
    isLeft: (): boolean => listKeys.some((key) => registry.value(key, oursName) !== undefined),
  };
}

/** Case does not matter in domains. */
function without(domains: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others.map((domain) => domain.toLowerCase()));
  return domains.filter((domain) => !known.has(domain.toLowerCase()));
}

const isSame = (one: readonly string[], other: readonly string[]) => one.join(',') === other.join(',');
