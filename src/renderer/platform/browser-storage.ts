import { hostOwnKeys } from './storage-keys.ts';

/** The part of the DOM's Storage that is used. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** A browser may refuse its storage (full, or forbidden by the user): that is told as false, never thrown. */
export function createPageStorage(storage: BrowserStorage) {
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
        return isPageKey(key) ? storage.getItem(key) : null;
      } catch {
        return null;
      }
    },
    set: (input: { key: string; value: string }) =>
      isPageKey(input.key) && attempt(() => storage.setItem(input.key, input.value)),
    remove: (key: string) => isPageKey(key) && attempt(() => storage.removeItem(key)),
    clear: () =>
      attempt(() => {
        for (const key of keys().filter(isPageKey)) storage.removeItem(key);
      }),
  };
}
