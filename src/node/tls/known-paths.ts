import { networkInterfaces } from 'node:os';

/** What passes on the way to a host over the network that the computer is on now. */
export interface KnownPath {
  /** Only the small first message of TLS does, as far as it is known. */
  isSmall(): boolean;
  /** The same of another host, so that the network itself may be the cause. */
  isOnSmallNetwork(): boolean;
  passesLarge(): void;
  passesSmall(): void;
}

/**
 * For how long it counts that only the small message passes, in milliseconds: two networks may give this computer the
 * same address, and networks are repaired. Looking again costs less than a second.
 */
const smallForMs = 60 * 60_000;
const maxPaths = 256;

export interface KnownPaths {
  to(host: string): KnownPath;
}

export function createKnownPaths(
  network: () => string = currentNetwork,
  now: () => number = () => performance.now(),
): KnownPaths {
  /** The last time, by network and host, at which only the small message passed. */
  const small = new Map<string, { on: string; at: number }>();
  const isFresh = (noted: { at: number } | undefined) => noted !== undefined && now() - noted.at < smallForMs;
  return {
    to(host) {
      // What is learned later is about the network on which it was tried.
      const on = network();
      const key = `${on} ${host.toLowerCase()}`;
      return {
        isSmall: () => isFresh(small.get(key)),
        isOnSmallNetwork: () => [...small.values()].some((noted) => noted.on === on && isFresh(noted)),
        passesLarge: () => void small.delete(key),
        passesSmall() {
          small.delete(key);
          small.set(key, { on, at: now() });
          const [oldest] = small.keys();
          if (small.size > maxPaths && oldest !== undefined) small.delete(oldest);
        },
      };
    },
  };
}

/** Of this process, since networks outlive connections. */
export const knownPaths = createKnownPaths();

/** The same text as long as the computer has the same addresses; a tunnel's address makes another network. */
function currentNetwork(): string {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const prefixes = all.flatMap(({ address, family, internal, scopeid }) => {
    if (internal || scopeid) return [];
    // The rest of an IPv6 address changes every day (RFC 8981).
    return [family === 'IPv6' ? address.split(':').slice(0, 4).join(':') : address];
  });
  return [...new Set(prefixes)].sort().join(' ');
}
