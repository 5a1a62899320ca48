import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { mustEqual, mustRefuse, type AppUnderTest, type Check } from './check.ts';
import { invalidParams } from './protocol-checks.ts';

const key = 'conformance';
const otherKey = 'conformance.other:key_2-x';
const everyPlane = 'A\u00e9\u4e2d\u{1f680}\u0000"\\\n\u2028';

/** The user stays signed in, whatever is done to the storage. */
export async function keepingSession(under: AppUnderTest, action: () => Promise<void>): Promise<void> {
  const { storage } = under.app;
  const kept = await Promise.all(
    [storageKeys.deviceId, storageKeys.token].map(async (name) => [name, await storage.get(name)] as const),
  );
  try {
    await action();
  } finally {
    for (const [name, value] of kept) {
      await (value === null ? storage.remove(name) : storage.set({ key: name, value }));
    }
  }
}

export const storageChecks: readonly Check[] = [
  {
    subject: 'storage.get',
    rule: 'Answers null for a key that was not set.',
    async run({ app }) {
      mustEqual(await app.storage.get('conformance.never-set'), null, 'the value');
    },
  },
  {
    subject: 'storage.set',
    rule: 'Keeps a text as it is, whatever its characters, and an empty one too.',
    async run({ app }) {
      for (const value of [everyPlane, '']) {
        mustEqual(await app.storage.set({ key, value }), true, 'the reply');
        mustEqual(await app.storage.get(key), value, 'the value read back');
      }
    },
  },
  {
    subject: 'storage.set',
    rule: 'Keeps a text of a million characters.',
    async run({ app }) {
      const value = 'waymaker'.repeat(125_000);
      mustEqual(await app.storage.set({ key, value }), true, 'the reply');
      mustEqual((await app.storage.get(key))?.length, value.length, 'the length read back');
      mustEqual((await app.storage.get(key)) === value, true, 'being the same text');
    },
  },
  {
    subject: 'storage.set',
    rule: 'Refuses keys with characters outside the contract with error -32602.',
    run: ({ transport }) =>
      mustRefuse(transport.request('storage.set', { key: '../secret', value: 'x' }), invalidParams),
  },
  {
    subject: 'storage.remove',
    rule: 'Removes one key and no other.',
    async run({ app }) {
      await app.storage.set({ key, value: '1' });
      await app.storage.set({ key: otherKey, value: '2' });
      mustEqual(await app.storage.remove(key), true, 'the reply');
      mustEqual(await app.storage.get(key), null, 'the removed value');
      mustEqual(await app.storage.get(otherKey), '2', 'the other value');
    },
  },
  {
    subject: 'storage.clear',
    rule: 'Removes every key, the token and the device id too.',
    run: (under) =>
      keepingSession(under, async () => {
        const { storage } = under.app;
        await storage.set({ key, value: '1' });
        await storage.set({ key: storageKeys.token, value: 'conformance' });
        mustEqual(await storage.clear(), true, 'the reply');
        for (const name of [key, otherKey, storageKeys.deviceId, storageKeys.token]) {
          mustEqual(await storage.get(name), null, `the value of ${name}`);
        }
      }),
  },
];
