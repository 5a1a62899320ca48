import { isDeepStrictEqual } from 'node:util';
import { createListeners } from '../listeners.ts';
import type { Setting, Settings } from './settings.ts';

const names = ['onQuit', 'notifications', 'connectAtStart'] as const;

/** What the user has chosen of how the app itself behaves, kept over restarts and sign-outs. */
export type Behaviour = { [Name in (typeof names)[number]]: Setting<Name> };

export interface BehaviourStore {
  get(): Behaviour;
  /** False if it could not be written; nothing has changed then. */
  set(change: Partial<Behaviour>): boolean;
  onChange(listener: () => void): void;
}

export function createBehaviour(settings: Settings): BehaviourStore {
  const listeners = createListeners<void>();
  const get = (): Behaviour => ({
    onQuit: settings.get('onQuit'),
    notifications: settings.get('notifications'),
    connectAtStart: settings.get('connectAtStart'),
  });
  const write = (next: Behaviour) => names.map((name) => settings.set(name, next[name])).every(Boolean);

  return {
    get,
    set(change) {
      const before = get();
      const next = { ...before, ...change };
      if (isDeepStrictEqual(before, next)) return true;
      if (!write(next)) {
        // It would hold until the app ends, and then silently no longer.
        write(before);
        return false;
      }
      listeners.emit();
      return true;
    },
    onChange: (listener) => listeners.add(listener),
  };
}
