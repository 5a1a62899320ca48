import type { HostImplementation } from '#shared/host/contract.ts';
import type { KeyValueFile } from '../preferences/settings.ts';

/** The page's own storage. Failures are returned as false, and the page tells the user (specification §8). */
export function createPageStorage(file: KeyValueFile): HostImplementation['storage'] {
  const done = (action: () => void) => {
    try {
      action();
      return true;
    } catch {
      return false;
    }
  };
  return {
    get(key) {
      try {
        const value = file.get(key);
        return typeof value === 'string' ? value : null;
      } catch {
        return null;
      }
    },
    set: ({ key, value }) => done(() => file.set(key, value)),
    remove: (key) => done(() => file.delete(key)),
    clear: () => done(() => file.clear()),
  };
}
