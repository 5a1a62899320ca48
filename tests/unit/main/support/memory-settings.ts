import { createSettings, type Settings } from '../../../../src/main/preferences/settings.ts';

/** Settings that nobody keeps. */
export function createMemorySettings(): Settings {
  const values = new Map<string, unknown>();
  return createSettings({
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    clear: () => values.clear(),
  });
}
