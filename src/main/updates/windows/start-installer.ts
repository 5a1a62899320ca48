import { loadLibrary } from '#node/os/windows/native-library.ts';

/** <winuser.h>. */
const SW_SHOWNORMAL = 1;
/** What ShellExecuteW returns is greater if it has succeeded (Microsoft, “ShellExecuteW function”). */
const lastFailure = 32;

/**
 * Starts an installer as an administrator, whom the system asks for, and does not wait for it: it ends this
 * program, and says nothing. False if it was not started, as
 * when nobody allows it.
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
