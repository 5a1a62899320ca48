import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeFileSync } from 'atomically';
import { hasErrorCode } from '#node/os/error-code.ts';
import type { TextFile } from './route-lists.ts';

/**
 * For texts that are too large to be rewritten with every change of a part; a write succeeds completely or not at all.
 */
export function openTextFileIn(folder: string, name: 'route-lists.json' | 'address-lists.json'): TextFile {
  const file = path.join(folder, name);
  return {
    read() {
      try {
        return readFileSync(file, 'utf8');
      } catch (error) {
        if (hasErrorCode(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
    write: (text) => writeFileSync(file, text, { mode: 0o600 }),
    remove: () => rmSync(file, { force: true }),
  };
}
