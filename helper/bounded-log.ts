import { copyFileSync } from 'node:fs';

/** Of the file, and of its earlier part; a line has some hundred bytes. */
const maxBytes = 1024 * 1024;
/** Where it could not begin anew, it tries again each time that it has grown by so many more. */
const retryBytes = 64 * 1024;
/** A log that is larger, because it could never begin anew, takes no more lines. */
const maxOverfullBytes = 8 * maxBytes;

/** A log in a file that others may have open: the system's service manager, or whoever looks at it. */
export interface LogFile {
  path: string;
  /** Its length in bytes; zero if there is none. */
  size(): number;
  append(line: string): void;
  /** Leaves the same file without content. */
  empty(): void;
}

/**
 * Writes lines to a log, of which about 2 MiB are kept: its earlier part in a second file, with `.1` at its name. It is
 * copied and emptied, since Windows renames no file that somebody has open, and launchd would go on writing to one that
 * has another name by now. While that fails, it becomes longer, but for what has no end. What cannot be written is
 * lost, as on a full disk.
 */
export function createBoundedLog(log: LogFile): (line: string) => void {
  let limit = maxBytes;
  return (line) => {
    try {
      const size = log.size();
      const isNew = size > limit && hasBegunAnew(log);
      if (isNew) limit = maxBytes;
      else if (size > limit) limit = Math.min(size + retryBytes, maxOverfullBytes);
      if (isNew || size <= maxOverfullBytes) log.append(line);
    } catch {
      // Later lines are tried again.
    }
  };
}

function hasBegunAnew(log: LogFile): boolean {
  try {
    copyFileSync(log.path, `${log.path}.1`);
    log.empty();
    return true;
  } catch {
    return false;
  }
}
