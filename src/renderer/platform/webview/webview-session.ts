import * as z from 'zod/mini';
import { deviceToken } from '#shared/host/common-contract.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import type { TokenStore } from '../page-session.ts';
import { storageKeys } from '../storage/storage-keys.ts';

const deviceIdText = z.uuid();

/** A keychain is often not ready in the first moments of an app that the system has started ahead. */
const usualPausesMs = [300, 1000];
/** An app that takes longer to refuse does not answer at all, and nobody should wait for it again. */
const quickMs = 1000;

/**
 * Device id and token in a webview: read once from the embedding app's storage, and written through to it. The app
 * reads them there for the gateway, so changes in the page also change them for the app.
 */
export async function openWebviewSession(
  storage: WebviewApp['storage'],
  newId: () => string,
  pausesMs: readonly number[] = usualPausesMs,
): Promise<TokenStore & { restore(): Promise<void> }> {
  /** Undefined if the app does not say. */
  async function get(
    key: string,
    [pauseMs, ...others]: readonly number[],
  ): Promise<string | null | undefined> {
    const askedAt = performance.now();
    const stored = await storage.get(key).catch(() => undefined);
    if (stored !== undefined || pauseMs === undefined || performance.now() - askedAt > quickMs) return stored;
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
    return await get(key, others);
  }
  /** `isKnown`: false if the app did not say; then what is there must not be replaced by something new. */
  const read = async <Value>(key: string, schema: z.ZodMiniType<Value>) => {
    const stored = await get(key, pausesMs);
    return { isKnown: stored !== undefined, value: schema.safeParse(stored).data };
  };
  const write = (key: string, value: string) => storage.set({ key, value }).catch(() => false);

  const known = await read(storageKeys.deviceId, deviceIdText);
  let current: { deviceId: string; token: string | undefined } =
    // A token is of no use to another device than its own.
    known.value === undefined
      ? { deviceId: newId(), token: undefined }
      : { deviceId: known.value, token: (await read(storageKeys.token, deviceToken)).value };
  if (known.isKnown && known.value === undefined) {
    await storage.remove(storageKeys.token).catch(() => false);
    await write(storageKeys.deviceId, current.deviceId);
  }
  let kept = true;

  async function writeAll(): Promise<void> {
    const { deviceId: id, token } = current;
    kept = await write(storageKeys.deviceId, id);
    if (token !== undefined) kept = (await write(storageKeys.token, token)) && kept;
  }

  return {
    credentials: () => current,
    describe: () => ({
      signedIn: current.token !== undefined,
      deviceId: current.deviceId,
      persistence: kept ? 'keychain' : 'memory',
    }),
    async keep(token, newDeviceId = current.deviceId) {
      current = { deviceId: newDeviceId, token };
      await writeAll();
    },
    async forget() {
      current = { deviceId: current.deviceId, token: undefined };
      await storage.remove(storageKeys.token).catch(() => false);
    },
    /** Writes both again after the storage was cleared. */
    restore: writeAll,
  };
}
