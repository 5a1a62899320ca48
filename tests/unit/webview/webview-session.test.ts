import { expect, test } from 'vitest';
import { openWebviewSession } from '../../../src/renderer/platform/webview/webview-session.ts';

const stored = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
const made = '0f8fad5b-d9cb-469f-a165-70867728950e';

/** An app's storage that refuses to answer about some keys, so many times, such as a keychain that is still locked. */
function storageOf(entries: Record<string, string>, silent: readonly string[] = [], times = Infinity) {
  const kept = new Map(Object.entries(entries));
  const asked = new Map<string, number>();
  return {
    kept,
    get(key: string) {
      const before = asked.get(key) ?? 0;
      asked.set(key, before + 1);
      return silent.includes(key) && before < times
        ? Promise.reject(new Error('no answer'))
        : Promise.resolve(kept.get(key) ?? null);
    },
    set: ({ key, value }: { key: string; value: string }) => Promise.resolve(kept.set(key, value).size > 0),
    remove: (key: string) => Promise.resolve(kept.delete(key)),
    clear: () => Promise.resolve(true),
  };
}

test.each([[['deviceId']], [['deviceId', 'token']]])(
  'what the storage does not say is not replaced: %j',
  async (silent) => {
    const storage = storageOf({ deviceId: stored, token: 'secret' }, silent);
    const session = await openWebviewSession(storage, () => made, []);
    // The token is another device's: with the id that was made, the service would refuse it and end the session.
    expect(session.credentials()).toEqual({ deviceId: made, token: undefined });
    expect(Object.fromEntries(storage.kept)).toEqual({ deviceId: stored, token: 'secret' });
    const next = await openWebviewSession(storageOf(Object.fromEntries(storage.kept)), () => made);
    expect(next.credentials()).toEqual({ deviceId: stored, token: 'secret' });
  },
);

test('a storage that is not ready at first is asked again', async () => {
  const storage = storageOf({ deviceId: stored, token: 'secret' }, ['deviceId', 'token'], 2);
  const session = await openWebviewSession(storage, () => made, [0, 0]);
  expect(session.credentials()).toEqual({ deviceId: stored, token: 'secret' });
});

test('a token without its device is none', async () => {
  const storage = storageOf({ token: 'secret' });
  const session = await openWebviewSession(storage, () => made, []);
  expect(session.credentials()).toEqual({ deviceId: made, token: undefined });
  expect(Object.fromEntries(storage.kept)).toEqual({ deviceId: made });
});

test('a user who signs in meanwhile stays signed in', async () => {
  const storage = storageOf({ deviceId: stored, token: 'secret' }, ['deviceId', 'token']);
  const session = await openWebviewSession(storage, () => made, []);
  await session.keep('other');
  expect(Object.fromEntries(storage.kept)).toEqual({ deviceId: made, token: 'other' });
  expect(session.describe()).toEqual({ signedIn: true, deviceId: made, persistence: 'keychain' });
});
