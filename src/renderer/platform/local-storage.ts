import type { BrowserStorage } from './browser-storage.ts';

/**
 * The browser's storage; where it refuses to have one (site data is blocked, or a webview of somebody else's has none)
 * one that lives as long as the page.
 */
export function openLocalStorage(): { storage: BrowserStorage; isKept: boolean } {
  try {
    // Throws where it is forbidden, and is null where an app switched it off.
    const storage = localStorage as Storage | null;
    if (storage) return { storage, isKept: storage.length >= 0 };
  } catch {
    // As if there were none.
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
