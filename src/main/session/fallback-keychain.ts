import { isServiceSlow, type Keychain } from './keychain.ts';

/** Every method may throw. */
export interface SealedKeychain extends Keychain {
  /** Whether there is a secret for the account, even if it can no longer be opened. */
  has(account: string): boolean;
  /** Whether the account's secret was last seen in the keychain. */
  isInKeychain(account: string): boolean;
  /** Remembers that. */
  noteInKeychain(account: string, isThere: boolean): void;
}

/**
 * The system's keychain, and where it cannot be used, what the helper seals. A sealed secret moves into the keychain as
 * soon as there is one.
 */
export function createFallbackKeychain(system: Keychain, sealed: SealedKeychain): Keychain {
  const places = new Map<string, 'keychain' | 'helper'>();

  async function writeToSystem(account: string, secret: string): Promise<void> {
    await system.write(account, secret);
    await sealed.remove(account);
    places.set(account, 'keychain');
    note(account, true);
  }

  /** Without this, as on a full disk, a keychain that is not there yet is taken for none. */
  function note(account: string, isThere: boolean): void {
    try {
      sealed.noteInKeychain(account, isThere);
    } catch {}
  }

  /** Undefined if nobody can seal here. */
  const readSealed = (account: string) =>
    sealed.read(account).then(
      (secret) => ({ secret }),
      () => undefined,
    );

  return {
    keptIn: (account) => places.get(account) ?? 'keychain',
    async read(account) {
      // It is newer than what the keychain may have: writing to the keychain removes it.
      const isSealed = sealed.has(account);
      const found = isSealed ? await readSealed(account) : undefined;
      if (found && found.secret !== null) {
        places.set(account, 'helper');
        await writeToSystem(account, found.secret).catch(() => undefined);
        return found.secret;
      }
      try {
        const secret = await system.read(account);
        places.set(account, 'keychain');
        note(account, secret !== null);
        return secret;
      } catch (error) {
        // A user's service may start before the keychain's.
        if (!isSealed && (isServiceSlow(error) || sealed.isInKeychain(account))) throw error;
        if (!(isSealed ? found : await readSealed(account))) throw error;
        places.set(account, 'helper');
        return null;
      }
    },
    async write(account, secret) {
      try {
        await writeToSystem(account, secret);
      } catch (error) {
        await sealed.write(account, secret).catch(() => {
          throw error;
        });
        places.set(account, 'helper');
        note(account, false);
      }
    },
    async remove(account) {
      await sealed.remove(account);
      await system.remove(account);
      note(account, false);
    },
  };
}
