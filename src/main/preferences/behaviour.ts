import { isDeepStrictEqual } from 'node:util';
import { createListeners } from '../listeners.ts';
import type { Setting, SettingName, Settings } from './settings.ts';

const behaviourNames = [
  'language',
  'theme',
  'onQuit',
  'notifications',
  'connectAtStart',
  'welcomed',
  'settingsDamage',
] as const;
const untrustedNames = [
  'connectOnUntrusted',
  'disconnectOnTrusted',
  'trustWired',
  'trustedNetworks',
] as const;

type Values<Name extends SettingName> = { [Each in Name]: Setting<Each> };
export type UntrustedBehaviour = Values<(typeof untrustedNames)[number]>;

/** The user's choices about how the app behaves, kept over restarts and sign-outs. */
export type Behaviour = Values<Exclude<(typeof behaviourNames)[number], 'settingsDamage'>> & {
  /** What became of damaged settings; absent if there is nothing to be said. */
  settingsDamage?: Setting<'settingsDamage'>;
  /** Whether the system starts the app at login; absent if it cannot. */
  openAtLogin?: boolean;
} & /** Absent where nothing says on which network the computer is. */ Partial<UntrustedBehaviour>;

/** Whether the system starts the app when its user signs in to the computer. The system's own record is the truth. */
export interface LoginItem {
  isOn(): boolean;
  /** False if it could not be changed. */
  set(isOn: boolean): boolean;
}

export interface BehaviourOptions {
  settings: Settings;
  /** Undefined if the system cannot start the app. */
  loginItem?: LoginItem | undefined;
  /** Whether it is known which network the computer is on. */
  knowsNetworks: boolean;
}

export interface BehaviourStore {
  get(): Behaviour;
  /** The settings about networks, whether or not they can have any effect. */
  untrusted(): UntrustedBehaviour;
  /** False if it could not be written; then nothing has changed. */
  set(change: Partial<Behaviour>): boolean;
  onChange(listener: () => void): void;
}

export function createBehaviour({ settings, loginItem, knowsNetworks }: BehaviourOptions): BehaviourStore {
  const listeners = createListeners<void>();
  const untrusted = (): UntrustedBehaviour => ({
    connectOnUntrusted: settings.get('connectOnUntrusted'),
    disconnectOnTrusted: settings.get('disconnectOnTrusted'),
    trustWired: settings.get('trustWired'),
    trustedNetworks: settings.get('trustedNetworks'),
  });
  const damage = () => settings.get('settingsDamage');
  const get = (): Behaviour => ({
    language: settings.get('language'),
    theme: settings.get('theme'),
    onQuit: settings.get('onQuit'),
    notifications: settings.get('notifications'),
    connectAtStart: settings.get('connectAtStart'),
    welcomed: settings.get('welcomed'),
    ...(damage() && { settingsDamage: damage() }),
    ...(knowsNetworks && untrusted()),
    ...(loginItem && { openAtLogin: loginItem.isOn() }),
  });

  function store(next: Behaviour, before: Behaviour): boolean {
    const changed = [...behaviourNames, ...untrustedNames].filter(
      (name) => !isDeepStrictEqual(next[name], before[name]),
    );
    return changed
      .map((name) => {
        const value = next[name];
        return value !== undefined && settings.set(name, value);
      })
      .every(Boolean);
  }

  function write(next: Behaviour, before: Behaviour): boolean {
    const { openAtLogin } = next;
    const isStartKept = openAtLogin === undefined || openAtLogin === before.openAtLogin;
    return store(next, before) && (isStartKept || loginItem?.set(openAtLogin) === true);
  }

  return {
    get,
    untrusted,
    set(change) {
      const before = get();
      const isForeign = untrustedNames.some(
        (name) => change[name] !== undefined && before[name] === undefined,
      );
      if (isForeign) return false;
      const next = { ...before, ...change };
      if (isDeepStrictEqual(before, next)) return true;
      if (!write(next, before)) {
        // Otherwise the change would be lost without notice when the app ends.
        store(before, next);
        return false;
      }
      listeners.emit();
      return true;
    },
    onChange: (listener) => listeners.add(listener),
  };
}
