import { createListeners } from '../listeners.ts';
import type { Settings } from './settings.ts';

/** The servers that were connected to, kept over restarts until the user signs out. */
export interface RecentServers {
  /** Their ids, the latest first; the service may not list all of them any more. */
  ids(): readonly string[];
  connectedTo(id: string): void;
  /** They were another account's. */
  forget(): void;
  onChange(listener: () => void): void;
}

const maxKept = 10;

export function createRecentServers(settings: Settings): RecentServers {
  const listeners = createListeners<void>();
  const ids = () => settings.get('recentServers');

  function set(next: string[]): void {
    settings.set('recentServers', next);
    listeners.emit();
  }

  return {
    ids,
    connectedTo(id) {
      const before = ids();
      if (before[0] !== id) set([id, ...before.filter((other) => other !== id)].slice(0, maxKept));
    },
    forget() {
      if (ids().length > 0) set([]);
    },
    onChange: (listener) => listeners.add(listener),
  };
}
