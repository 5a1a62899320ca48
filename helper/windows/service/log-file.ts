import { appendFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { makePrivateDirectory } from '#node/os/windows/private-directory.ts';

/** Of two files at most; a line has some hundred bytes. */
const maxBytes = 1024 * 1024;

/**
 * Where a service's log goes, since nobody reads its output: `helper.log` in a directory that only administrators can open,
 * and before it is too long, `helper.log.1`. What cannot be written is lost, as on a full disk.
 */
export function createLogFile(directory: string): (line: string) => void {
  const file = path.join(directory, 'helper.log');
  try {
    makePrivateDirectory(directory);
  } catch {
    // Whoever locks the directory says so, and ends.
    return () => undefined;
  }
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return (line) => {
    try {
      if (bytes > maxBytes) {
        renameSync(file, `${file}.1`);
        bytes = 0;
      }
      appendFileSync(file, line);
      bytes += Buffer.byteLength(line);
    } catch {
      // Later lines are tried again.
    }
  };
}
