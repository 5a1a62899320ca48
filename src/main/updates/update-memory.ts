import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeFileSync } from 'atomically';
import * as z from 'zod/mini';
import type { UpdateSource } from './find-update.ts';

const remembered = z.object({
  installation: z.string().check(z.minLength(1), z.maxLength(100)),
  seen: z.optional(z.iso.datetime()),
  /** The version whose installer was started last. */
  started: z.optional(z.string()),
  /** The version whose installation did not succeed. */
  failed: z.optional(z.string()),
});
type Remembered = z.infer<typeof remembered>;

interface Kept {
  get(): string | undefined;
  set(value: string | undefined): void;
}

export interface UpdateMemory extends Pick<UpdateSource, 'seen' | 'installation'> {
  /** See `started` in the file; the installer ends the program that could have reported its outcome. */
  started: Kept;
  /** It is not installed again without being asked for. */
  failed: Kept;
}

/**
 * What a user's updates remember in a folder; what cannot be read or written is forgotten. Each time it is read again:
 * the app and the command line have it in common.
 */
export function openUpdateMemory(folder: string): UpdateMemory {
  const file = path.join(folder, 'updates.json');
  let last: Remembered = read(file) ?? { installation: randomUUID() };
  const now = () => (last = read(file) ?? last);
  const keep = (change: Partial<Remembered>): void => {
    last = { ...now(), ...change };
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify(last), { mode: 0o600 });
    } catch {
      // On a full disk, as if this were the first time.
    }
  };
  if (!read(file)) keep({});
  const kept = (name: 'seen' | 'started' | 'failed'): Kept => ({
    get: () => now()[name],
    set: (value) => keep({ [name]: value }),
  });
  return {
    installation: last.installation,
    seen: kept('seen'),
    started: kept('started'),
    failed: kept('failed'),
  };
}

function read(file: string): Remembered | undefined {
  try {
    return remembered.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
