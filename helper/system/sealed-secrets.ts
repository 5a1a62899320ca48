import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';
import type { PrivateFiles } from './ports/private-files-port.ts';

/**
 * Secrets of users that are kept in their own files, and can be read only by this helper, for the user who had them
 * sealed. A copy of these files is of no use without the key, which is in the state directory.
 */
export interface SealedSecrets {
  /** Base64. Rejects if there is no key, and none can be kept. */
  seal(user: string, secret: string): Promise<string>;
  /** Undefined if it was sealed for another user or with another key, or was changed. */
  unseal(user: string, sealed: string): Promise<string | undefined>;
}

const keyBytes = 32;
/** The usual sizes of GCM (NIST SP 800-38D, §5.2.1.1 and §8.2.2). */
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';
/** The first byte, so that a later format can be told apart. */
const format = Buffer.of(1);

export function createSealedSecrets(options: {
  /** Of the state, for the key. */
  directory: string;
  files: PrivateFiles;
  log: Log;
}): SealedSecrets {
  const { directory, files, log } = options;
  const file = path.join(directory, 'sealing-key');
  let root: Promise<Buffer> | undefined;

  async function findRoot(): Promise<Buffer> {
    const kept = await files.read(file, keyBytes);
    if (kept instanceof Buffer) return kept;
    // A key that others could read protects nothing. What was sealed with a lost key is lost, too: its users sign in again.
    if (kept === 'unusable') log.warn('the key of sealed secrets cannot be used and is replaced');
    return await makeKey(directory, file, files);
  }

  /** Each user's key is derived (RFC 5869), so that random nonces are used up by nobody else. */
  async function keyOf(user: string): Promise<Buffer> {
    root ??= findRoot();
    try {
      return Buffer.from(hkdfSync('sha256', await root, '', `waymaker sealed secret of ${user}`, keyBytes));
    } catch (error) {
      // Such as a full disk: the next call tries again.
      root = undefined;
      throw error;
    }
  }

  return {
    async seal(user, secret) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, await keyOf(user), nonce, { authTagLength: tagBytes });
      sealing.setAAD(format);
      const text = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()]);
      return Buffer.concat([format, nonce, sealing.getAuthTag(), text]).toString('base64');
    },
    async unseal(user, sealed) {
      const key = await keyOf(user);
      const bytes = Buffer.from(sealed, 'base64');
      const textAt = format.length + nonceBytes + tagBytes;
      if (bytes.length < textAt || bytes[0] !== format[0]) return undefined;
      const nonce = bytes.subarray(format.length, format.length + nonceBytes);
      const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
      opening.setAAD(format);
      opening.setAuthTag(bytes.subarray(format.length + nonceBytes, textAt));
      try {
        return Buffer.concat([opening.update(bytes.subarray(textAt)), opening.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** On the disk before anything is sealed with it. */
async function makeKey(directory: string, file: string, files: PrivateFiles): Promise<Buffer> {
  const key = randomBytes(keyBytes);
  const fresh = `${file}.new`;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await rm(fresh, { force: true });
  await files.create(fresh, key);
  await rename(fresh, file);
  return key;
}
