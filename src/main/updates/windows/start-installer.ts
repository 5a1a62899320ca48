import { loadLibrary } from '#node/os/windows/native-library.ts';

/** <winuser.h>. */
const SW_SHOWNORMAL = 1;
/** What ShellExecuteW returns is greater if it has succeeded (Microsoft, “ShellExecuteW function”). */
const lastFailure = 32;

/**
 * Starts an installer with the rights of an administrator, which the system asks for, and does not wait for it: it ends
 * this program. False if it was not started, for example because nobody allowed it.
 */
export async function startInstaller(file: string): Promise<boolean> {
  const execute = loadLibrary('shell32.dll').bindWaiting('ShellExecuteW', 'intptr', [
    'intptr',
    'str16',
    'str16',
    'str16',
    'str16',
    'int',
  ]);
  return Number(await execute(0, 'runas', file, '/S', null, SW_SHOWNORMAL)) > lastFailure;
}
