import { closeSync, openSync } from 'node:fs';
import { hasErrorCode } from '#node/os/error-code.ts';

/**
 * Why no tunnel device can be made: there is no file for it, or no driver behind it. systemd makes the file from what
 * the installed kernel has, and the driver is loaded when it is opened: where the running kernel's modules have been
 * replaced by an update's, that fails until the computer is started anew. Opening it alone makes nothing.
 */
export function tunnelFileProblem(file = '/dev/net/tun'): 'missing' | 'no-driver' | undefined {
  try {
    closeSync(openSync(file, 'r+'));
    return undefined;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return 'missing';
    // Not being allowed to open it says nothing of what the helper may.
    return hasErrorCode(error, 'ENODEV', 'ENXIO') ? 'no-driver' : undefined;
  }
}
