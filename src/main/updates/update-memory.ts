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
});

export interface UpdateMemory extends Pick<UpdateSource, 'seen' | 'installation'> {
  /** See `started` in the file; the installer ends the program that could have reported its outcome. */
  started: { get(): string | undefined; set(version: string | undefined): void };
}

/** What a user's updates remember in a folder; what cannot be read or written is forgotten. */
export function openUpdateMemory(folder: string): UpdateMemory {
  const file = path.join(folder, 'updates.json');
  let content = read(file) ?? { installation: randomUUID() };
  const keep = (): void => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    } catch {
      // On a full disk, as if this were the first time.
    }
  };
  if (!read(file)) keep();
  return {
    installation: content.installation,
    started: {
      get: () => content.started,
      set(started) {
        content = { ...content, started };
        keep();
      },
    },
    seen: {
      get: () => content.seen,
      set(seen) {
        content = { ...content, seen };
        keep();
      },
    },
  };
}

function read(file: string): z.infer<typeof remembered> | undefined {
  try {
    return remembered.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
