import { withRecent } from '#shared/servers/kept-servers.ts';
import { createListeners } from '../listeners.ts';
import type { Settings } from './settings.ts';

/** The servers that were connected to, kept over restarts until the user signs out. */
export interface RecentServers {
  /** Their ids, newest first; the service may no longer list all of them. */
  ids(): readonly string[];
  connectedTo(id: string): void;
  /** They belonged to another account. */
  forget(): void;
  onChange(listener: () => void): void;
}

export function createRecentServers(settings: Settings): RecentServers {
  const listeners = createListeners<void>();
  const ids = () => settings.get('recentServers');

  function set(next: readonly string[]): void {
    settings.set('recentServers', [...next]);
    listeners.emit();
  }

  return {
    ids,
    connectedTo(id) {
      const before = ids();
      const next = withRecent(before, id);
      if (next !== before) set(next);
    },
    forget() {
      if (ids().length > 0) set([]);
    },
    onChange: (listener) => listeners.add(listener),
  };
}
