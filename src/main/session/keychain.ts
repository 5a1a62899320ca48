export { isServiceAbsent, isServiceSlow } from './linux/secret-service.ts';

/** This user's secrets in the operating system's keychain, by account. Every method may throw or hang. */
export interface Keychain {
  read(account: string): Promise<string | null>;
  write(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
  /** Where the account's secret was last found or put; if absent, in the keychain. */
  keptIn?(account: string): 'keychain' | 'helper';
}

const service = 'Waymaker';

/**
 * The system's keychain: Secret Service, macOS Keychain or Windows Credential Vault. The native module is loaded at
 * first use, because loading it fails if libsecret is not installed.
 */
export function createSystemKeychain(): Keychain {
  const load = async () => (await import('keytar')).default;
  return {
    read: async (account) => await (await load()).getPassword(service, account),
    write: async (account, secret) => await (await load()).setPassword(service, account, secret),
    async remove(account) {
      await (await load()).deletePassword(service, account);
    },
  };
}
