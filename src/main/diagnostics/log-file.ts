import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { scrubLog } from '#shared/log-scrubbing.ts';

/** The app's log on disk, for problem reports: readable only by this user, and limited in size. */
export interface LogFile {
  /** A line with its line end. It is written before this returns, because the app might crash next; never throws. */
  write(line: string): void;
  /** The lines that are still stored, oldest first. */
  read(): string[];
}

const maxFileBytes = 512 * 1024;

/** At most two files: a full `file` replaces the earlier one. */
export function createLogFile({
  file,
  maxBytes = maxFileBytes,
}: {
  file: string;
  maxBytes?: number;
}): LogFile {
  const { dir, name, ext } = path.parse(file);
  const earlier = path.join(dir, `${name}.1${ext}`);
  let open: { descriptor: number; inode: number; bytes: number } | undefined;

  function current(): { descriptor: number; bytes: number } {
    // Whoever cleans up may have removed it, and what is written to that nobody could read.
    if (open && statSync(file, { throwIfNoEntry: false })?.ino !== open.inode) close();
    if (open) return open;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, 'a', 0o600);
    const { ino: inode, size: bytes } = fstatSync(descriptor);
    open = { descriptor, inode, bytes };
    return open;
  }

  function close(): void {
    if (open) closeSync(open.descriptor);
    open = undefined;
  }

  function turnOver(): void {
    close();
    renameSync(file, earlier);
  }

  return {
    write(line) {
      try {
        // What must not leave the machine is not written to disk in the first place.
        const bytes = Buffer.from(scrubLog(line));
        if (current().bytes > 0 && current().bytes + bytes.length > maxBytes) turnOver();
        const target = current();
        writeSync(target.descriptor, bytes);
        target.bytes += bytes.length;
      } catch {
        // A full disk must not end the app; the lines are on standard output, too.
      }
    },
    read: () => [earlier, file].flatMap(linesOf),
  };
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
