import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasErrorCode } from '#node/os/error-code.ts';

const keyBytes = 32;
/** Whoever has just made the file writes it within this time, unless it was interrupted. */
const tries = 20;
const pauseMs = 10;

/**
 * What only this user's programs know of a profile, 64 hexadecimal digits, by a file in it that Windows keeps from
 * other users; made if there is none. Throws if it can neither be read nor made.
 */
export function controlKey(profile: string): string {
  const file = path.join(profile, 'control-key');
  mkdirSync(profile, { recursive: true });
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const key = readKey(file) ?? makeKey(file);
    if (key !== undefined && isKey(key)) return key;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
  // It was damaged.
  const fresh = newKey();
  const temporary = `${file}-${process.pid}`;
  writeFileSync(temporary, fresh, { mode: 0o600 });
  renameSync(temporary, file);
  return fresh;
}

const newKey = () => randomBytes(keyBytes).toString('hex');
const isKey = (text: string) => /^[0-9a-f]{64}$/.test(text);

/** Undefined if there is none. */
function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Undefined if another program makes one at this moment. */
function makeKey(file: string): string | undefined {
  const fresh = newKey();
  try {
    writeFileSync(file, fresh, { flag: 'wx', mode: 0o600 });
    return fresh;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return undefined;
    throw error;
  }
}
