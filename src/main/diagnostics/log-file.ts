import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { scrubText } from '#shared/report-scrubbing.ts';

/** The app's log on disk, for problem reports: readable by this user only, and of a bounded size. */
export interface LogFile {
  /** A line with its end. It is on disk when this returns, since the next thing may be a crash; never throws. */
  write(line: string): void;
  /** The lines that are still there, the oldest first. */
  read(): string[];
}

const maxFileBytes = 512 * 1024;

/** Two files at most: when `file` is full it becomes the earlier one, in the place of that. */
export function createLogFile({
  file,
  maxBytes = maxFileBytes,
}: {
  file: string;
  maxBytes?: number;
}): LogFile {
  const { dir, name, ext } = path.parse(file);
  const earlier = path.join(dir, `${name}.1${ext}`);
  let open: { descriptor: number; bytes: number } | undefined;

  function current(): { descriptor: number; bytes: number } {
    if (open) return open;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, 'a', 0o600);
    open = { descriptor, bytes: fstatSync(descriptor).size };
    return open;
  }

  function turnOver(): void {
    if (open) closeSync(open.descriptor);
    open = undefined;
    renameSync(file, earlier);
  }

  return {
    write(line) {
      try {
        // Nothing of what must not leave is put on disk in the first place.
        const bytes = Buffer.from(scrubText(line));
        if (current().bytes > 0 && current().bytes + bytes.length > maxBytes) turnOver();
        const target = current();
        writeSync(target.descriptor, bytes);
        target.bytes += bytes.length;
      } catch {
        // A disk that is full must not end the app; the lines are on its standard output, too.
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
