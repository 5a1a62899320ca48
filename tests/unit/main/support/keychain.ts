import type { Keychain } from '../../../../src/main/session/keychain.ts';

export interface TestKeychain extends Keychain {
  readonly secrets: Map<string, string>;
  /** `throws` like a missing Secret Service, `hangs` like one that waits for the user. */
  mode: 'works' | 'throws' | 'hangs';
  /** Lets the calls that hang go on, in order. */
  unlock(): void;
}

export function createTestKeychain(secrets: Record<string, string> = {}): TestKeychain {
  const kept = new Map(Object.entries(secrets));
  const waiting: (() => void)[] = [];
  async function act<Value>(action: () => Value): Promise<Value> {
    if (keychain.mode === 'throws') throw new Error('no Secret Service');
    if (keychain.mode === 'hangs') await new Promise<void>((resolve) => void waiting.push(resolve));
    return action();
  }
  const keychain: TestKeychain = {
    secrets: kept,
    mode: 'works',
    read: (account) => act(() => kept.get(account) ?? null),
    write: (account, secret) => act(() => void kept.set(account, secret)),
    remove: (account) => act(() => void kept.delete(account)),
    unlock() {
      keychain.mode = 'works';
      for (const resume of waiting.splice(0)) resume();
    },
  };
  return keychain;
}
