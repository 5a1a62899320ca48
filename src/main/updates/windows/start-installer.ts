import { loadLibrary } from '#node/os/windows/native-library.ts';
import type { UpdateInstaller } from '../update-installer.ts';

/** <winuser.h>. */
const SW_SHOWNORMAL = 1;
/** What ShellExecuteW returns is greater if it has succeeded (Microsoft, “ShellExecuteW function”). */
const lastFailure = 32;

/**
 * Starts an installer with the rights of an administrator, which the system asks for, and does not wait for it: it ends
 * this program.
 */
export const windowsInstaller: UpdateInstaller = {
  endsTunnel: true,
  reopens: true,
  async start(file, { opensAgain }) {
    const execute = loadLibrary('shell32.dll').bindWaiting('ShellExecuteW', 'intptr', [
      'intptr',
      'str16',
      'str16',
      'str16',
      'str16',
      'int',
    ]);
    // See resources/windows/installer.nsi.
    const words = opensAgain ? '/S /OPEN' : '/S';
    return Number(await execute(0, 'runas', file, words, null, SW_SHOWNORMAL)) > lastFailure;
  },
};
