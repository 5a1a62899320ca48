import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SecretFile } from '../../system/ports/engine-host-port.ts';

/**
 * A file that has lost its name before anything is in it: macOS has no memory that is a file and can be inherited by a
 * program of another user without a name (shm_open(2) needs one). `directory` is root's own.
 */
export function createSecretFile(content: string, directory = tmpdir()): SecretFile {
  const folder = mkdtempSync(path.join(directory, 'waymaker-'));
  const bytes = Buffer.from(content);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path.join(folder, 'secret'), 'wx+', 0o600);
    rmSync(folder, { recursive: true });
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    bytes.fill(0);
  }
  const opened = descriptor;
  return {
    descriptor: opened,
    pathIn: (inherited) => `/dev/fd/${inherited}`,
    [Symbol.dispose]: () => closeSync(opened),
  };
}
