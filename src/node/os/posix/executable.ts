import { accessSync, constants } from 'node:fs';

/** Whether this process may run the file (access(2)); false where there is none. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
