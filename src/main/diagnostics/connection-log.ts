import {
  connectionLogEntry,
  maxConnectionLogEntries,
  type ConnectionLogEntry,
  type LossCause,
} from '#shared/tunnel/connection-log.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createListeners } from '../listeners.ts';
import type { KeyValueFile } from '../preferences/settings.ts';
import { nextEvents, noEvents, type EventMemory } from './connection-events.ts';

/** What happened to the connection, for users to read: limited in size, and kept over restarts until they sign out. */
export interface ConnectionLog {
  /** Oldest first. */
  entries(): readonly ConnectionLogEntry[];
  /** The tunnel has changed to this state. */
  add(state: TunnelState, server: string): void;
  /** The user connects or disconnects. */
  commanded(): void;
  /** False if it could not be removed. */
  clear(): boolean;
  /** The log belonged to another account, and so does whatever the tunnel still does. */
  forget(): void;
  onChange(listener: (entries: readonly ConnectionLogEntry[]) => void): void;
}

const key = 'entries';

/** What happens this soon after a click is what the user has just asked for. */
const justCommandedMs = 10_000;

export function createConnectionLog(options: { file: KeyValueFile; lossCause(): LossCause }): ConnectionLog {
  const { file } = options;
  const listeners = createListeners<readonly ConnectionLogEntry[]>();
  let entries = read();
  let memory = memoryOf(entries);
  let commandedAt = -Infinity;

  function read(): readonly ConnectionLogEntry[] {
    try {
      const found = file.get(key);
      if (!Array.isArray(found)) return [];
      // One that a later version wrote, for example, takes no others with it.
      return found
        .flatMap((entry) => connectionLogEntry.safeParse(entry).data ?? [])
        .slice(-maxConnectionLogEntries);
    } catch {
      return [];
    }
  }

  function set(next: readonly ConnectionLogEntry[]): boolean {
    entries = next;
    listeners.emit(next);
    try {
      file.set(key, next);
      return true;
    } catch {
      // The log is then kept in memory until the app ends.
      return false;
    }
  }

  const clear = () => entries.length === 0 || set([]);

  return {
    entries: () => entries,
    add(state, server) {
      const next = nextEvents(memory, state, {
        server,
        isCommanded: performance.now() - commandedAt < justCommandedMs,
        lossCause: () => options.lossCause(),
      });
      memory = next.memory;
      if (next.events.length === 0) return;
      const at = Date.now();
      set([...entries, ...next.events.map((event) => ({ at, event }))].slice(-maxConnectionLogEntries));
    },
    commanded() {
      commandedAt = performance.now();
    },
    clear,
    forget() {
      memory = noEvents;
      clear();
    },
    onChange: (listener) => listeners.add(listener),
  };
}

/** Restored from the log of an earlier run, since the tunnel may still be the same. */
function memoryOf(entries: readonly ConnectionLogEntry[]): EventMemory {
  return entries.reduce<EventMemory>((memory, { event }) => {
    switch (event.kind) {
      case 'connected':
        return { ...noEvents, phase: { is: 'up', since: event.since } };
      case 'lost':
        return { ...noEvents, phase: { is: 'lost' } };
      case 'ended':
        return { ...memory, phase: { is: 'down' }, problem: undefined };
      case 'impaired':
        return { ...memory, problem: event.problem };
      case 'repaired':
        return { ...memory, problem: undefined };
      case 'blocked':
      case 'unblocked':
        return { ...memory, isBlocked: event.kind === 'blocked' };
      default:
        return event satisfies never;
    }
  }, noEvents);
}
