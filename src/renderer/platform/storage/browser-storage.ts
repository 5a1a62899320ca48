import { hostOwnKeys } from './storage-keys.ts';

/** The part of the DOM's Storage that is used. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * A browser may refuse its storage (full, or forbidden by the user). That is returned as false, never thrown, and what
 * could not be stored is kept as long as the page lives.
 */
export function createPageStorage(storage: BrowserStorage) {
  const unstored = new Map<string, string>();
  const attempt = (change: () => void): boolean => {
    try {
      change();
      return true;
    } catch {
      return false;
    }
  };
  const isPageKey = (key: string) => !hostOwnKeys.includes(key);
  const keys = () =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter((key) => key !== null);
  return {
    get(key: string): string | null {
      try {
        return isPageKey(key) ? (unstored.get(key) ?? storage.getItem(key)) : null;
      } catch {
        return null;
      }
    },
    set({ key, value }: { key: string; value: string }) {
      if (!isPageKey(key)) return false;
      unstored.delete(key);
      const stored = attempt(() => storage.setItem(key, value));
      if (!stored) unstored.set(key, value);
      return stored;
    },
    remove(key: string) {
      unstored.delete(key);
      return isPageKey(key) && attempt(() => storage.removeItem(key));
    },
    clear() {
      unstored.clear();
      return attempt(() => {
        for (const key of keys().filter(isPageKey)) storage.removeItem(key);
      });
    },
  };
}
