import type { KeyValueFile } from '../preferences/settings.ts';

/** To whom belongs what is stored here about an account: also after a session that ended without a sign-out. */
export interface AccountOwner {
  isKnown(): boolean;
  /** Whether that is the account of this address, or another one; undefined if it is not known. */
  is(email: string): boolean | undefined;
  /** Undefined: not known. */
  set(email: string | undefined): void;
}

const key = 'owner';

/** `file`: everything in it is deleted at a sign-out. */
export function createAccountOwner(file: KeyValueFile): AccountOwner {
  function read(): string | undefined {
    try {
      const owner = file.get(key);
      return typeof owner === 'string' ? owner : undefined;
    } catch {
      return undefined;
    }
  }
  return {
    isKnown: () => read() !== undefined,
    is(email) {
      const owner = read();
      // The service ignores the case of an address.
      return owner === undefined ? undefined : owner === email.toLowerCase();
    },
    set(email) {
      try {
        if (email === undefined) file.delete(key);
        else file.set(key, email.toLowerCase());
      } catch {
        // Then it is not known after a restart.
      }
    },
  };
}
