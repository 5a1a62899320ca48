import { maxReadLogChars } from '#shared/helper/protocol.ts';
import type { LogRecord } from './log.ts';

/** For one user's lines in one of the two rings; a gateway decides what the engine prints. */
const maxRingChars = maxReadLogChars / 2;
const maxLineChars = 2000;

/** How many users have lines at a time: those about whom something was logged most recently. */
const maxUsers = 8;

interface Line {
  time: number;
  text: string;
}

/** The latest lines of the log, so that each user can read the lines about their own connection, and nobody else's. */
export interface LogMemory {
  /** Lines that are not about a user are not kept. */
  add(user: string | undefined, record: LogRecord): void;
  /** In the order in which they were logged. */
  of(user: string): string[];
}

export function createLogMemory(): LogMemory {
  const users = new Map<string, { engine: Ring; helper: Ring }>();

  function ringsOf(user: string) {
    const rings = users.get(user) ?? { engine: createRing(), helper: createRing() };
    // Moves it to the end: the least recently used one is dropped first.
    users.delete(user);
    users.set(user, rings);
    const [oldest] = users.keys();
    if (users.size > maxUsers && oldest !== undefined) users.delete(oldest);
    return rings;
  }

  return {
    add(user, record) {
      if (user === undefined) return;
      const rings = ringsOf(user);
      // A gateway that makes its engine print a lot only pushes out the engine's own lines.
      const ring = record.message === 'engine' ? rings.engine : rings.helper;
      ring.add({ time: record.time, text: JSON.stringify(record).slice(0, maxLineChars) });
    },
    of(user) {
      const rings = users.get(user);
      if (!rings) return [];
      return [...rings.helper.lines(), ...rings.engine.lines()]
        .toSorted((one, other) => one.time - other.time)
        .map(({ text }) => text);
    },
  };
}

type Ring = ReturnType<typeof createRing>;

function createRing() {
  const lines: Line[] = [];
  let chars = 0;
  return {
    lines: (): readonly Line[] => lines,
    add(line: Line): void {
      lines.push(line);
      chars += line.text.length;
      while (chars > maxRingChars) chars -= lines.shift()?.text.length ?? 0;
    },
  };
}
