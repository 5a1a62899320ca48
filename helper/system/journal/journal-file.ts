import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod/mini';
import { hasErrorCode } from '#node/os/error-code.ts';
import { parseJson } from '#shared/parse-json.ts';

/** What an earlier helper left in its journal. */
export type JournalContent<Entry> =
  | { kind: 'empty' }
  | { kind: 'entry'; entry: Entry }
  /** Not in a format of this version; the file has been moved aside, and `text` is its content. */
  | { kind: 'unreadable'; text: string };

/**
 * One entry on disk that says how to undo current changes of the system. It is replaced by a new file (rename(2) is
 * atomic).
 */
export interface Journal<Entry> {
  read(): Promise<JournalContent<Entry>>;
  /**
   * When it resolves, the next helper will find the entry, whatever happens to this one; after a power failure it may
   * not.
   */
  write(entry: Entry): Promise<void>;
  /** When it resolves, the entry also survives a power failure. */
  flush(): Promise<void>;
  clear(): Promise<void>;
}

export function createJournal<Schema extends z.core.$ZodType>(
  directory: string,
  schema: Schema,
): Journal<z.output<Schema>> {
  const file = path.join(directory, 'journal.json');
  const fresh = `${file}.new`;
  const sync = async (name: string, flags: 'r' | 'r+') => {
    const handle = await open(name, flags);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  return {
    async read() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // A file that was not put in place names a gateway that nobody asks for any more.
      await rm(fresh, { force: true });
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (isAbsent(error)) return undefined;
        throw error;
      });
      if (text === undefined) return { kind: 'empty' };
      const parsed = z.safeParse(schema, parseJson(text));
      if (parsed.success) return { kind: 'entry', entry: parsed.data };
      await rename(file, path.join(directory, 'journal.unreadable'));
      return { kind: 'unreadable', text };
    },
    async write(entry) {
      const handle = await open(fresh, 'w', 0o600);
      try {
        await handle.writeFile(JSON.stringify(entry));
      } finally {
        await handle.close();
      }
      await rename(fresh, file);
    },
    async flush() {
      // Not every system flushes what is only read, or a directory; where it does not, its file system has the changes
      // of directories in a log of its own.
      await sync(file, 'r+');
      await sync(directory, 'r').catch((error: unknown) => {
        if (!isNotPermitted(error)) throw error;
      });
    },
    async clear() {
      // Not synchronised, because undoing something twice does no harm.
      await rm(file, { force: true });
    },
  };
}

function isAbsent(error: unknown): boolean {
  return hasErrorCode(error, 'ENOENT');
}

/** Not that somebody may not read it: this is the helper's own directory. */
const isNotPermitted = (error: unknown): boolean => hasErrorCode(error, 'EPERM');
