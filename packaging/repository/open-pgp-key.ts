import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../run.ts';

/** A secret OpenPGP key that repositories are signed with, in a keyring of its own that is removed in the end. */
export interface OpenPgpKey extends AsyncDisposable {
  /** In hexadecimal digits. */
  readonly fingerprint: string;
  readonly isTest: boolean;
  /** The public key as ASCII armour, as apt and dnf take it. */
  readonly publicKey: string;
  /** In seconds since 1970; undefined if it never expires. */
  readonly expires: number | undefined;
  /** The folder that gpg calls its home. */
  readonly home: string;
  /** Writes a detached signature in ASCII armour beside `file`. */
  signDetached(file: string, signature: string): Promise<void>;
  /** Writes `file` with a signature around it. */
  signInline(file: string, signed: string): Promise<void>;
}

/**
 * RSA, because rpm of RHEL 8 knows no EdDSA, and without subkeys, because dnf looks for the signature of a repository's
 * index among primary keys only.
 */
const testUser = 'Waymaker packages (test key, protects nothing)';
const testKey = [
  '%no-protection',
  'Key-Type: RSA',
  'Key-Length: 3072',
  'Key-Usage: sign',
  `Name-Real: ${testUser}`,
  'Expire-Date: 0',
  '%commit',
  '',
].join('\n');

/** Whether a file with a public key has one that was made for tests. */
export async function isTestKey(publicKeyFile: string): Promise<boolean> {
  const home = await mkdtemp(path.join(tmpdir(), 'wm-gpg-'));
  try {
    const listing = await run('gpg', [
      '--batch',
      '--homedir',
      home,
      '--with-colons',
      '--show-keys',
      publicKeyFile,
    ]);
    return listing.includes(testUser);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The key in an armoured file, or, without one, a new one that nobody should trust. */
export async function openPgpKey(secretKeyFile: string | undefined): Promise<OpenPgpKey> {
  // Sockets of gpg's agent stand in it, whose paths must be short.
  const home = await mkdtemp(path.join(tmpdir(), 'wm-gpg-'));
  const gpg = (words: string[]) => run('gpg', ['--batch', '--homedir', home, ...words]);
  const remove = async () => {
    await run('gpgconf', ['--homedir', home, '--kill', 'all']).catch(() => undefined);
    await rm(home, { recursive: true, force: true });
  };
  try {
    if (secretKeyFile === undefined) {
      const recipe = path.join(home, 'recipe');
      await writeFile(recipe, testKey);
      await gpg(['--generate-key', recipe]);
    } else await gpg(['--import', secretKeyFile]);
    const { fingerprint, expires } = readListing(await gpg(['--list-secret-keys', '--with-colons']));
    const sign = ['--yes', '--armor', '--digest-algo', 'SHA512', '--local-user', `${fingerprint}!`];
    return {
      fingerprint,
      expires,
      home,
      isTest: secretKeyFile === undefined,
      publicKey: await gpg(['--armor', '--export', fingerprint]),
      async signDetached(file, signature) {
        await gpg([...sign, '--output', signature, '--detach-sign', file]);
      },
      async signInline(file, signed) {
        await gpg([...sign, '--output', signed, '--clear-sign', file]);
      },
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Reads what `gpg --with-colons` says of the keys that it has (doc/DETAILS of GnuPG). */
function readListing(text: string): { fingerprint: string; expires: number | undefined } {
  const records = text.split('\n').map((line) => line.split(':'));
  const keys = records.filter(([kind]) => kind === 'sec');
  const [key] = keys;
  if (!key || keys.length > 1) throw new Error(`the file has ${keys.length} secret keys instead of one`);
  const fingerprint = records.find(([kind]) => kind === 'fpr')?.[9];
  if (fingerprint === undefined) throw new Error('gpg names no fingerprint');
  const [, , , algorithm, , , expires] = key;
  if (algorithm !== '1') throw new Error('the key must be an RSA key: rpm of RHEL 8 knows no other kind');
  return { fingerprint, expires: expires ? Number(expires) : undefined };
}
