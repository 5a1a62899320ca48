import type { HostImplementation } from '#shared/host/contract.ts';
import { appPreferences, tunnelPreferences, type Preferences } from '#shared/host/preferences.ts';
import type { BehaviourStore } from './behaviour.ts';
import type { PreferencesStore } from './preferences.ts';

/** Everything that the settings page changes, in whichever part of the app. */
export function createPreferencesHost(
  tunnel: PreferencesStore,
  app: BehaviourStore,
): { host: HostImplementation['preferences']; onChange(listener: (now: Preferences) => void): void } {
  const get = (): Preferences => ({ ...tunnel.get(), ...app.get() });
  return {
    host: {
      get,
      async set(change) {
        const before = app.get();
        if (!app.set(only(change, appPreferences.shape))) return { ok: false, error: 'not-stored' };
        const reply = await tunnel.set(only(change, tunnelPreferences.shape));
        if (!reply.ok) app.set(before);
        return reply;
      },
    },
    onChange(listener) {
      tunnel.onChange(() => listener(get()));
      app.onChange(() => listener(get()));
    },
  };
}

/** The part of a change that concerns these names. */
function only<Name extends keyof Preferences>(
  change: Partial<Preferences>,
  names: Record<Name, unknown>,
): Partial<Pick<Preferences, Name>> {
  const entries = Object.entries(change).filter(([name, value]) => name in names && value !== undefined);
  return Object.fromEntries(entries) as Partial<Pick<Preferences, Name>>;
}
