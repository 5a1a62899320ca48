import { languageChoice, themeChoice } from '#shared/host/common-contract.ts';
import type { Preferences } from '#shared/host/preferences.ts';
import type { BrowserStorage } from './storage/browser-storage.ts';
import { storageKeys } from './storage/storage-keys.ts';

type Look = Required<Pick<Preferences, 'language' | 'theme' | 'welcomed'>>;

/** The appearance of pages, stored by the page itself if there is no app: for this device, whoever signs in. */
export interface PagePreferences {
  get(): Look;
  set(change: Partial<Pick<Preferences, keyof Look>>): { ok: true } | { ok: false; error: 'not-stored' };
}

export function createPagePreferences(storage: BrowserStorage): PagePreferences {
  const get = (): Look => {
    const stored = read(storage);
    return {
      language: languageChoice.safeParse(stored['language']).data ?? 'system',
      theme: themeChoice.safeParse(stored['theme']).data ?? 'system',
      welcomed: stored['welcomed'] === true,
    };
  };
  return {
    get,
    set(change) {
      const before = get();
      const next: Look = {
        language: change.language ?? before.language,
        theme: change.theme ?? before.theme,
        welcomed: change.welcomed ?? before.welcomed,
      };
      try {
        storage.setItem(storageKeys.look, JSON.stringify(next));
        return { ok: true };
      } catch {
        return { ok: false, error: 'not-stored' };
      }
    },
  };
}

function read(storage: BrowserStorage): Record<string, unknown> {
  try {
    return Object(JSON.parse(storage.getItem(storageKeys.look) ?? '{}')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
