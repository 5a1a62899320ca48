/**
 * How many connections a user may have held ready in how many milliseconds. Whoever looks at the app again and again
 * needs a few. Each costs this machine a process, and counts with the gateway: ocserv shuts an address out for a while
 * after 80 connections in 20 minutes (`max-ban-score`), and several users may share one.
 */
const maxOpened = 12;
const windowMs = 10 * 60_000;

export interface HeldLimit {
  /** Whether this user may have another one now, which then counts. */
  admits(user: string): boolean;
  /** The last one has become a tunnel, which takes one in any case: it does not count. */
  used(user: string): void;
}

export function createHeldLimit(now: () => number = () => performance.now()): HeldLimit {
  const openedAt = new Map<string, number[]>();
  return {
    admits(user) {
      const since = now() - windowMs;
      for (const [other, times] of openedAt) if ((times.at(-1) ?? 0) <= since) openedAt.delete(other);
      const recent = (openedAt.get(user) ?? []).filter((time) => time > since);
      if (recent.length >= maxOpened) return false;
      openedAt.set(user, [...recent, now()]);
      return true;
    },
    used: (user) => void openedAt.get(user)?.pop(),
  };
}
