import * as z from 'zod/mini';
import { deviceToken, type Session } from '#shared/host/common-contract.ts';
import type { BrowserStorage } from '../storage/browser-storage.ts';
import type { TokenStore } from '../page-session.ts';
import { storageKeys } from '../storage/storage-keys.ts';

const deviceIdText = z.uuid();

/**
 * Device id and token of the web console; one that is damaged counts as absent. They are read from the browser's
 * storage each time, so that all tabs have the same; without storage, they live as long as the page.
 */
export function createWebSession({
  storage,
  isKept,
  newDeviceId: newId,
}: {
  storage: BrowserStorage;
  isKept: boolean;
  newDeviceId: () => string;
}): TokenStore {
  /** What the browser refused to store. */
  const memory = new Map<string, string>();
  /** Tokens that the browser refused to delete: this page treats them as gone. */
  const dropped = new Set<string>();
  const read = (key: string) => {
    try {
      return memory.get(key) ?? storage.getItem(key);
    } catch {
      return undefined;
    }
  };
  const readToken = () => {
    const token = deviceToken.safeParse(read(storageKeys.token)).data;
    return token !== undefined && dropped.has(token) ? undefined : token;
  };
  const write = (key: string, value: string) => {
    try {
      storage.setItem(key, value);
      memory.delete(key);
    } catch {
      memory.set(key, value);
    }
  };
  const deviceId = (): string => {
    const known = deviceIdText.safeParse(read(storageKeys.deviceId)).data;
    if (known !== undefined) return known;
    const made = newId();
    write(storageKeys.deviceId, made);
    return made;
  };
  return {
    credentials: () => ({ deviceId: deviceId(), token: readToken() }),
    describe: (): Session => ({
      signedIn: readToken() !== undefined,
      deviceId: deviceId(),
      persistence: isKept && memory.size === 0 ? 'browser' : 'memory',
    }),
    keep(token, newDeviceId = deviceId()) {
      // Again, if it could not be stored before: one is of no use without the other.
      write(storageKeys.deviceId, newDeviceId);
      write(storageKeys.token, token);
    },
    forget() {
      const token = readToken();
      memory.delete(storageKeys.token);
      try {
        storage.removeItem(storageKeys.token);
      } catch {
        if (token !== undefined) dropped.add(token);
      }
    },
  };
}
