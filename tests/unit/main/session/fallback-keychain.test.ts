import { expect, test, vi } from 'vitest';
import {
  createFallbackKeychain,
  type SealedKeychain,
} from '../../../../src/main/session/fallback-keychain.ts';
import { createSealedKeychain } from '../../../../src/main/tunnel/sealed-keychain.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { createTestKeychain } from '../support/keychain.ts';
import { createTestLog } from '../support/log.ts';

const account = 'device-1';

/** What a helper keeps that is always there, in the real file. */
function setUp(secrets: Record<string, string> = {}) {
  const system = createTestKeychain(secrets);
  const kept = createTestKeychain();
  const real = createSealedKeychain({
    file: createTestFile(),
    socketPath: '/nonexistent',
    version: '0',
    log: createTestLog().log,
  });
  const sealed: SealedKeychain = { ...real, ...kept, has: (name) => kept.secrets.has(name) };
  return { system, sealed: kept, keychain: createFallbackKeychain(system, sealed) };
}

test('a computer without a keychain has nothing that was sealed yet', async () => {
  const { system, keychain } = setUp();
  system.mode = 'throws';
  expect(await keychain.read(account)).toBeNull();
  expect(keychain.keptIn?.(account)).toBe('helper');
});

test.each(['was read there', 'was put there'])(
  'a user whose keychain is not there yet is not taken to have no secret: it %s',
  async (how) => {
    const { system, keychain } = setUp({ [account]: 'token-1' });
    if (how === 'was read there') await keychain.read(account);
    else await keychain.write(account, 'token-1');
    system.mode = 'throws';
    await expect(keychain.read(account)).rejects.toThrow('no Secret Service');
    system.mode = 'works';
    expect(await keychain.read(account)).toBe('token-1');
  },
);

test('a keychain whose service was too slow to start is not taken for none', async () => {
  const { system, keychain } = setUp({ [account]: 'token-1' });
  const error = new Error(
    "Failed to activate service 'org.freedesktop.secrets': timed out (service_start_timeout=120000ms)",
  );
  const read = vi.spyOn(system, 'read').mockRejectedValueOnce(error);
  await expect(keychain.read(account)).rejects.toThrow('timed out');
  expect(read).toHaveBeenCalledOnce();
  expect(await keychain.read(account)).toBe('token-1');
});

test('what was taken out of the keychain, or is sealed instead, is not looked for there', async () => {
  const { system, sealed, keychain } = setUp({ [account]: 'token-1' });
  await keychain.read(account);
  await keychain.remove(account);
  system.mode = 'throws';
  expect(await keychain.read(account)).toBeNull();
  system.mode = 'works';
  await keychain.write(account, 'token-2');
  system.mode = 'throws';
  await keychain.write(account, 'token-3');
  sealed.secrets.clear();
  expect(await keychain.read(account)).toBeNull();
});
