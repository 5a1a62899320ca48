import type { BrowserStorage } from './browser-storage.ts';

/**
 * The browser's storage or, if there is none (site data is blocked, or a third party's webview has none), one that
 * lives as long as the page.
 */
export function openLocalStorage(): { storage: BrowserStorage; isKept: boolean } {
  try {
    // Throws if it is forbidden, and is null if an app switched it off.
    const storage = localStorage as Storage | null;
    if (storage) return { storage, isKept: storage.length >= 0 };
  } catch {
    // Treated as absent.
  }
  return { storage: createMemoryStorage(), isKept: false };
}

function createMemoryStorage(): BrowserStorage {
  const entries = new Map<string, string>();
  return {
    get length() {
      return entries.size;
    },
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
    key: (index) => [...entries.keys()][index] ?? null,
  };
}
