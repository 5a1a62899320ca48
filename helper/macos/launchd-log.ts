import { fstatSync, ftruncateSync, statSync } from 'node:fs';
import { createBoundedLog } from '../bounded-log.ts';

/** Where launchd puts the helper's standard error (resources/macos/installer), which it never makes shorter. */
const launchdFile = '/var/log/waymaker-helper.log';

/**
 * Lines for standard error; where that is the file that launchd has opened, it is kept from growing without end.
 * launchd writes at its end whatever its length is (O_APPEND).
 */
export function createLaunchdLog(
  write: (line: string) => void,
  { file = launchdFile, descriptor = 2 } = {},
): (line: string) => void {
  const isFile = () => {
    const [open, named] = [fstatSync(descriptor), statSync(file, { throwIfNoEntry: false })];
    return open.isFile() && named !== undefined && open.ino === named.ino && open.dev === named.dev;
  };
  return createBoundedLog({
    path: file,
    size: () => (isFile() ? fstatSync(descriptor).size : 0),
    append: write,
    empty: () => ftruncateSync(descriptor),
  });
}
