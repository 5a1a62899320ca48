import { maxReadLogChars } from '#shared/helper/protocol.ts';
import type { LogRecord } from './log.ts';

/** Of one user's lines in one of the two rings; the engine says whatever a gateway has it say. */
const maxRingChars = maxReadLogChars / 2;
const maxLineChars = 2000;

/** Whose lines are kept at a time: those of whom something was logged last. */
const maxUsers = 8;

interface Line {
  time: number;
  text: string;
}

/** The latest lines of the log, so that each user can read those about their own connection, and nobody else's. */
export interface LogMemory {
  /** Lines that are about no user are kept for nobody. */
  add(user: string | undefined, record: LogRecord): void;
  /** In the order in which they were logged. */
  of(user: string): string[];
}

export function createLogMemory(): LogMemory {
  const users = new Map<string, { engine: Ring; helper: Ring }>();

  function ringsOf(user: string) {
    const rings = users.get(user) ?? { engine: createRing(), helper: createRing() };
    // The one that was written to last is the last to go.
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
      // A gateway that has its engine say a lot pushes out nothing but the engine's own lines.
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
