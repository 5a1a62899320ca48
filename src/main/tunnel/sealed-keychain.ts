import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import type { KeyValueFile } from '../preferences/settings.ts';
import { openHelperConnection, type HelperConnection } from './helper-connection.ts';

/** At boot, a user's service may start before the helper. */
const helperWaitMs = 30_000;
const retryMs = 500;

/** This user's sealed secrets, by account. Every method may throw. */
export interface SealedSecrets {
  /** Whether there is a secret for the account, even if it can no longer be opened. */
  has(account: string): boolean;
  /** Whether the account's secret was last seen in the keychain. */
  isInKeychain(account: string): boolean;
  noteInKeychain(account: string, isThere: boolean): void;
  read(account: string): Promise<string | null>;
  write(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** The key, beside the accounts, of what the keychain has. */
const inKeychain = (account: string) => `in-keychain ${account}`;

/** What a helper of an earlier version, or one that is absent, cannot do. */
class CannotSeal extends Error {}

/**
 * Keeps secrets in a file of this user, sealed by the helper: for a computer without a keychain. A copy of the file
 * opens neither for another user nor on another computer. Rejects where there is no helper that seals.
 */
export function createSealedKeychain(options: {
  file: KeyValueFile;
  socketPath: string;
  version: string;
  log: Logger;
  waitMs?: number;
}): SealedSecrets {
  const { file, socketPath, version, log, waitMs = helperWaitMs } = options;

  async function withHelper<Result>(ask: (helper: HelperConnection) => Promise<Result>): Promise<Result> {
    const helper = await openHelperConnection({ socketPath, version, onState: () => undefined, log });
    if (typeof helper === 'string') throw new CannotSeal(helper);
    try {
      if (!helper.capabilities.includes('seal')) throw new CannotSeal('an earlier helper');
      return await ask(helper);
    } finally {
      helper.close();
    }
  }

  async function unseal(sealed: string): Promise<string | null> {
    try {
      return await withHelper(async (helper) => (await helper.call('unseal', { sealed })).secret);
    } catch (error) {
      if (!(error instanceof ResponseError)) throw error;
      if (error.code !== helperError.notSealed) throw error;
      // Also after the helper's key was lost, or if the files come from another computer.
      log.warn('what the helper has sealed cannot be opened any more');
      return null;
    }
  }

  return {
    has: (account) => typeof file.get(account) === 'string',
    isInKeychain: (account) => file.get(inKeychain(account)) === true,
    noteInKeychain(account, isThere) {
      if (isThere === (file.get(inKeychain(account)) === true)) return;
      if (isThere) file.set(inKeychain(account), true);
      else file.delete(inKeychain(account));
    },
    async read(account) {
      const sealed = file.get(account);
      const giveUpAt = performance.now() + waitMs;
      for (;;) {
        try {
          if (typeof sealed === 'string') return await unseal(sealed);
          return await withHelper(() => Promise.resolve(null));
        } catch (error) {
          const isWorthWaiting = typeof sealed === 'string' && error instanceof CannotSeal;
          if (!isWorthWaiting || performance.now() > giveUpAt) throw error;
        }
        await delay(retryMs, undefined, { ref: false });
      }
    },
    async write(account, secret) {
      const { sealed } = await withHelper((helper) => helper.call('seal', { secret }));
      file.set(account, sealed);
    },
    remove(account) {
      if (file.get(account) !== undefined) file.delete(account);
      return Promise.resolve();
    },
  };
}
