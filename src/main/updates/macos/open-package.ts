import { createRunProgram, type RunProgram } from '../../run-program.ts';
import type { UpdateInstaller } from '../update-installer.ts';

/**
 * Opens a package in the system's own installer, which checks who has signed it, asks for an administrator and shows
 * what it does (open(1)).
 */
export const macosInstaller = (run: RunProgram = createRunProgram()): UpdateInstaller => ({
  endsTunnel: true,
  reopens: false,
  async start(file, { onBegun }) {
    try {
      if ((await run('/usr/bin/open', [file])) === undefined) return 'not-started';
      onBegun();
      return 'started';
    } catch {
      return 'not-started';
    }
  },
  /** It goes on when the package is installed or not, until its user closes it; what it has open, it says to nobody. */
  async isRunning() {
    try {
      // pgrep(1) fails if there is none.
      return (
        (await run('/usr/bin/pgrep', ['-x', '-u', String(process.getuid?.()), 'Installer'])) !== undefined
      );
    } catch {
      return false;
    }
  },
});
