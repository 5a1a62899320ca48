import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import type { InstallerOutcome, UpdateInstaller } from '../update-installer.ts';
import { executeAsAdministrator, type Executed } from './shell-execute.ts';

/** How often it is looked for whether the installer has begun, in milliseconds. */
const lookMs = 50;

/**
 * Starts an installer with the rights of an administrator, which the system asks for, and waits until it has begun, not
 * until it is done: it ends this program.
 */
export const windowsInstaller: UpdateInstaller = {
  endsTunnel: true,
  reopens: true,
  async start(file, { opensAgain, onBegun }) {
    if (isHeld(lockFile())) return 'running';
    try {
      // See resources/windows/installer.nsi.
      using executed = await executeAsAdministrator(file, opensAgain ? '/S /OPEN' : '/S');
      if (!executed) return 'not-started';
      onBegun();
      return await untilBegun(executed);
    } catch {
      return 'not-started';
    }
  },
  isRunning: () => Promise.resolve(isHeld(lockFile())),
};

/** It first reads all of itself, and ends if another one has begun. */
async function untilBegun(executed: Executed): Promise<InstallerOutcome> {
  for (;;) {
    const code = executed.exitCode();
    if (code !== undefined) return code === 0 ? 'started' : 'not-started';
    if (isHeld(lockFile())) return 'started';
    await pause(lookMs);
  }
}

/** Installers have it open, for nobody else, as long as they run (`Alone` in resources/windows/installer.nsi). */
const lockFile = () =>
  path.win32.join(process.env['ProgramFiles'] ?? String.raw`C:\Program Files`, 'Waymaker.lock');

function isHeld(file: string): boolean {
  try {
    // One that a power cut has left is open for everybody.
    closeSync(openSync(file, 'r'));
    return false;
  } catch (error) {
    // ERROR_SHARING_VIOLATION, as libuv calls it.
    return hasErrorCode(error, 'EBUSY');
  }
}
