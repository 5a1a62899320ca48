import type { Logger } from 'pino';
import type { HostImplementation } from '#shared/host/contract.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Settings } from './settings.ts';

export interface SettingsHostOptions {
  settings: Settings;
  /** Brings a connection in progress, if there is one, up to date with the settings; rejects if that failed. */
  apply: () => Promise<void>;
  log: Logger;
}

/** What the user switches: the host contract's `settings` group. */
export function createSettingsHost({
  settings,
  apply,
  log,
}: SettingsHostOptions): HostImplementation['settings'] {
  /** One after the other: a change that fails late must not take back a later one. */
  const enqueue = createSerialQueue();

  return {
    get: () => ({ killSwitch: settings.get('killSwitch'), localNetwork: settings.get('localNetwork') }),
    set: ({ name, on }) =>
      enqueue(async () => {
        const before = settings.get(name);
        if (before === on) return { ok: true };
        if (!settings.set(name, on)) {
          // It would hold until the app ends, and then silently no longer.
          settings.set(name, before);
          return { ok: false, error: 'not-stored' };
        }
        try {
          await apply();
          return { ok: true };
        } catch (error) {
          log.warn({ err: error, name }, 'the setting cannot be applied');
          settings.set(name, before);
          return { ok: false, error: 'not-applied' };
        }
      }),
  };
}
