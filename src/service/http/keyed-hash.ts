import { createHmac, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../make-directory.ts';

/**
 * A hash in base64url that can only be computed with the service's key, so that what is stored by it (an address, a
 * person) can be recognised but not read or guessed. Hashes for different purposes are unrelated.
 */
export type KeyedHash = (purpose: string, text: string) => string;

const keyBytes = 32;
const keyText = /^[0-9a-f]{64}\s*$/;

/** The service's key, from a file that is created at the first start; rejects if the file contains anything else. */
export async function openServiceKey(file: string): Promise<Buffer> {
  await makeDirectory(path.dirname(file), 0o700);
  const made = `${randomBytes(keyBytes).toString('hex')}\n`;
  // If two processes start at the same time, one of them creates the file (open(2), O_EXCL).
  await writeFile(file, made, { flag: 'wx', mode: 0o600, flush: true }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  const text = await readFile(file, 'utf8');
  if (!keyText.test(text)) throw new Error(`${file} has no key: 64 hexadecimal digits`);
  return Buffer.from(text.trim(), 'hex');
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
