import type { ConnectionLogEntry } from '#shared/tunnel/connection-log.ts';

export interface LogDay {
  name: string;
  /** Newest first. */
  entries: readonly KeyedEntry[];
}

/** `key`: the same as long as the entry is in the log. */
interface KeyedEntry extends ConnectionLogEntry {
  key: string;
}

/** The entries of each day, newest first. */
export function logDays(entries: readonly ConnectionLogEntry[]): LogDay[] {
  const sameTime = new Map<number, number>();
  // Not by their places, which all change with each new entry: screen readers would lose what they are reading.
  const keyed = entries.map((entry): KeyedEntry => {
    const before = sameTime.get(entry.at) ?? 0;
    sameTime.set(entry.at, before + 1);
    return { ...entry, key: `${entry.at} ${before}` };
  });
  const nameOf = ({ at }: ConnectionLogEntry) => new Date(at).toDateString();
  const names = new Set(keyed.toReversed().map(nameOf));
  return [...names].map((name) => ({
    name,
    entries: keyed.filter((entry) => nameOf(entry) === name).toReversed(),
  }));
}
