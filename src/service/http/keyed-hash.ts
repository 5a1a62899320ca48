import { createHmac, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { constants, copyFile, link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasErrorCode } from '#node/os/error-code.ts';
import { makeDirectory } from '../make-directory.ts';

/**
 * A hash in base64url that can only be computed with the service's key, so that what is stored by it (an address, a
 * person) can be recognised but not read or guessed. Hashes for different purposes are unrelated.
 */
export type KeyedHash = (purpose: string, text: string) => string;

const keyBytes = 32;
const keyText = /^[0-9a-f]{64}\s*$/;

/**
 * The service's key, from a file that is created at the first start; rejects if the file contains anything else.
 * `isInUse`: whether the data was stored with a key already, so that a new one would fit nothing.
 */
export async function openServiceKey(file: string, isInUse: () => Promise<boolean>): Promise<Buffer> {
  await makeDirectory(path.dirname(file), 0o700);
  const key = (await readKey(file)) ?? (await newKey(file, isInUse));
  if (!keyText.test(key)) throw new Error(`${file} has no key: 64 hexadecimal digits`);
  return Buffer.from(key.trim(), 'hex');
}

/** Another process that starts now makes the file before it stores anything with the key, so it is looked for again. */
async function newKey(file: string, isInUse: () => Promise<boolean>): Promise<string> {
  if (!(await isInUse())) await createKey(file);
  const text = await readKey(file);
  if (text === undefined)
    throw new Error(`${file} is gone: put back the one that this database was used with`);
  return text;
}

async function readKey(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}

/** All of it or nothing, also on a full disk. If two processes start at the same time, one of them creates it. */
async function createKey(file: string): Promise<void> {
  // Of its own, also where two services start in one process.
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`;
  try {
    await writeFile(draft, `${randomBytes(keyBytes).toString('hex')}\n`, { mode: 0o600, flush: true });
    await link(draft, file).catch((error: unknown) => {
      // File systems without links, as on memory cards; that there is one already is said in the same way.
      if (hasErrorCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS'))
        return copyFile(draft, file, constants.COPYFILE_EXCL);
      throw error;
    });
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

export function keyedHash(key: Buffer): KeyedHash {
  const purposeKeys = new Map<string, KeyObject>();
  return (purpose, text) => {
    const purposeKey = purposeKeys.get(purpose) ?? keyFor(key, purpose);
    purposeKeys.set(purpose, purposeKey);
    return createHmac('sha256', purposeKey).update(text, 'utf8').digest('base64url');
  };
}

const keyFor = (key: Buffer, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `waymaker ${purpose}`, keyBytes)));
