import { appendFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { makePrivateDirectory } from '#node/os/windows/private-directory.ts';
import { createBoundedLog } from '../../bounded-log.ts';

/**
 * Where a service's log goes, since nobody reads its output: `helper.log` in a directory that only administrators can
 * open.
 */
export function createLogFile(directory: string): (line: string) => void {
  const file = path.join(directory, 'helper.log');
  try {
    makePrivateDirectory(directory);
  } catch {
    // Whoever locks the directory says so, and ends.
    return () => undefined;
  }
  return createBoundedLog({
    path: file,
    size: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    append: (line) => appendFileSync(file, line),
    empty: () => truncateSync(file),
  });
}
