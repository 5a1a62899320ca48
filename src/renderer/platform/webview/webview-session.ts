import * as z from 'zod/mini';
import { deviceToken } from '#shared/host/common-contract.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import type { TokenStore } from '../page-session.ts';
import { storageKeys } from '../storage/storage-keys.ts';

const deviceIdText = z.uuid();

/**
 * Device id and token in a webview: read once from the embedding app's storage, and written through to it. The app
 * reads them there for the gateway, so changes in the page also change them for the app.
 */
export async function openWebviewSession(
  storage: WebviewApp['storage'],
  newId: () => string,
): Promise<TokenStore & { restore(): Promise<void> }> {
  /** `isKnown`: false if the app did not say; then what is there must not be replaced by something new. */
  const read = async <Value>(key: string, schema: z.ZodMiniType<Value>) => {
    const stored = await storage.get(key).catch(() => undefined);
    return { isKnown: stored !== undefined, value: schema.safeParse(stored).data };
  };
  const write = (key: string, value: string) => storage.set({ key, value }).catch(() => false);

  const known = await read(storageKeys.deviceId, deviceIdText);
  const knownToken = await read(storageKeys.token, deviceToken);
  let current: { deviceId: string; token: string | undefined } =
    // A token is of no use to another device than its own.
    known.value === undefined
      ? { deviceId: newId(), token: undefined }
      : { deviceId: known.value, token: knownToken.value };
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
