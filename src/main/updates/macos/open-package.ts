import { createRunProgram, type RunProgram } from '../../run-program.ts';
import type { UpdateInstaller } from '../update-installer.ts';

/**
 * Opens a package in the system's own installer, which checks who has signed it, asks for an administrator and shows what it
 * does (open(1)).
 */
export const macosInstaller = (run: RunProgram = createRunProgram()): UpdateInstaller => ({
  endsTunnel: true,
  reopens: false,
  async start(file) {
    try {
      return (await run('/usr/bin/open', [file])) !== undefined;
    } catch {
      return false;
    }
  },
});
