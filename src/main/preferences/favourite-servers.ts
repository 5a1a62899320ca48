import { withFavourite } from '#shared/servers/kept-servers.ts';
import { createListeners } from '../listeners.ts';
import type { Settings } from './settings.ts';

/** The servers that the user has marked, kept over restarts until the user signs out. */
export interface FavouriteServers {
  /** Their ids, in the order in which they were marked; the service may no longer list all of them. */
  ids(): readonly string[];
  /** False if it could not be written; then it only lasts until the app ends. */
  set(id: string, isFavourite: boolean): boolean;
  /** They belonged to another account. */
  forget(): void;
  onChange(listener: () => void): void;
}

export function createFavouriteServers(settings: Settings): FavouriteServers {
  const listeners = createListeners<void>();
  const ids = () => settings.get('favouriteServers');

  function write(next: readonly string[]): boolean {
    const written = settings.set('favouriteServers', [...next]);
    listeners.emit();
    return written;
  }

  return {
    ids,
    set(id, isFavourite) {
      const before = ids();
      const next = withFavourite(before, id, isFavourite);
      return next === before || write(next);
    },
    forget() {
      if (ids().length > 0) write([]);
    },
    onChange: (listener) => listeners.add(listener),
  };
}
