import { serverFor, type ListedServer } from '#shared/plan/usable-group.ts';
import { createListeners } from '../listeners.ts';
import type { Settings } from './settings.ts';

/** The server that the user chose, kept over restarts until the user signs out. */
export interface ServerChoice {
  /** Its id; the service may no longer list it. */
  id(): string | undefined;
  /** The server that Connect uses; undefined if none may be used now. */
  server(): ListedServer | undefined;
  /** False if the choice could not be written; then it only lasts until the app ends. */
  choose(id: string): boolean;
  /** Like `choose`, unless there is already a choice. */
  chooseFirst(id: string): boolean;
  /** It belonged to another account. */
  forget(): void;
  onChange(listener: (id: string | undefined) => void): void;
}

export function createServerChoice({
  settings,
  servers,
}: {
  settings: Settings;
  /** The servers that may be used now. */
  servers: () => readonly ListedServer[];
}): ServerChoice {
  const listeners = createListeners<string | undefined>();
  const id = () => settings.get('serverId');

  function set(next: string | undefined): boolean {
    if (id() === next) return true;
    const written = settings.set('serverId', next);
    listeners.emit(next);
    return written;
  }

  return {
    id,
    server: () => serverFor(servers(), id()),
    choose: set,
    chooseFirst: (first) => id() === undefined && set(first),
    forget: () => void set(undefined),
    onChange: (listener) => listeners.add(listener),
  };
}
