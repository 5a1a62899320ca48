import { isDeepStrictEqual } from 'node:util';
import { createListeners } from '../listeners.ts';
import type { Setting, Settings } from './settings.ts';

export const behaviourNames = ['language', 'theme', 'onQuit', 'notifications', 'connectAtStart'] as const;

/** What the user has chosen of how the app itself behaves, kept over restarts and sign-outs. */
export type Behaviour = { [Name in (typeof behaviourNames)[number]]: Setting<Name> } & {
  /** Whether the system starts the app at login; absent where it cannot. */
  openAtLogin?: boolean;
};

/** Whether the system starts the app when its user signs in to the computer. The system's own record is the truth. */
export interface LoginItem {
  isOn(): boolean;
  /** False if it could not be changed. */
  set(isOn: boolean): boolean;
}

export interface BehaviourStore {
  get(): Behaviour;
  /** False if it could not be written; nothing has changed then. */
  set(change: Partial<Behaviour>): boolean;
  onChange(listener: () => void): void;
}

export function createBehaviour(settings: Settings, loginItem?: LoginItem): BehaviourStore {
  const listeners = createListeners<void>();
  const get = (): Behaviour => ({
    language: settings.get('language'),
    theme: settings.get('theme'),
    onQuit: settings.get('onQuit'),
    notifications: settings.get('notifications'),
    connectAtStart: settings.get('connectAtStart'),
    ...(loginItem && { openAtLogin: loginItem.isOn() }),
  });
  const store = (next: Behaviour) =>
    behaviourNames.map((name) => settings.set(name, next[name])).every(Boolean);

  function write(next: Behaviour, before: Behaviour): boolean {
    const { openAtLogin } = next;
    const isStartKept = openAtLogin === undefined || openAtLogin === before.openAtLogin;
    return store(next) && (isStartKept || loginItem?.set(openAtLogin) === true);
  }

  return {
    get,
    set(change) {
      const before = get();
      const next = { ...before, ...change };
      if (isDeepStrictEqual(before, next)) return true;
      if (!write(next, before)) {
        // It would hold until the app ends, and then silently no longer.
        store(before);
        return false;
      }
      listeners.emit();
      return true;
    },
    onChange: (listener) => listeners.add(listener),
  };
}
