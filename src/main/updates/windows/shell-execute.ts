import koffi from 'koffi';
import { orThrow } from '#node/os/windows/last-error.ts';
import { changed, loadLibrary, returned } from '#node/os/windows/native-library.ts';
import { structure } from '#node/os/windows/structure.ts';

/** <shellapi.h>, <winuser.h>, <winbase.h>. */
export const shellConstants = {
  SEE_MASK_NOCLOSEPROCESS: 0x40,
  /** For threads that take no messages. */
  SEE_MASK_NOASYNC: 0x100,
  SW_SHOWNORMAL: 1,
  /** An exit code that means none. */
  STILL_ACTIVE: 259,
} as const;

export const SHELLEXECUTEINFOW = structure('SHELLEXECUTEINFOW', {
  cbSize: 'uint32',
  fMask: 'uint32',
  hwnd: 'intptr',
  lpVerb: 'str16',
  lpFile: 'str16',
  lpParameters: 'str16',
  lpDirectory: 'str16',
  nShow: 'int',
  hInstApp: 'intptr',
  lpIDList: 'uintptr',
  lpClass: 'str16',
  hkeyClass: 'intptr',
  dwHotKey: 'uint32',
  hIcon: 'intptr',
  hProcess: 'intptr',
});

/** A program that runs. */
export interface Executed extends Disposable {
  /** Undefined while it runs. */
  exitCode(): number | undefined;
}

/**
 * Starts a program with the rights of an administrator, which Windows asks for. Undefined if nobody allows it, or if
 * Windows starts no process of its own for it.
 */
export async function executeAsAdministrator(file: string, words: string): Promise<Executed | undefined> {
  const { SEE_MASK_NOCLOSEPROCESS, SEE_MASK_NOASYNC, SW_SHOWNORMAL } = shellConstants;
  const execute = loadLibrary('shell32.dll').bindWaiting('ShellExecuteExW', 'int', [
    changed(SHELLEXECUTEINFOW.type),
  ]);
  const asked: Record<string, unknown> & { hProcess: number | bigint } = {
    cbSize: koffi.sizeof(SHELLEXECUTEINFOW.type),
    fMask: SEE_MASK_NOCLOSEPROCESS | SEE_MASK_NOASYNC,
    hwnd: 0,
    lpVerb: 'runas',
    lpFile: file,
    lpParameters: words,
    lpDirectory: null,
    nShow: SW_SHOWNORMAL,
    hInstApp: 0,
    lpIDList: 0,
    lpClass: null,
    hkeyClass: 0,
    dwHotKey: 0,
    hIcon: 0,
    hProcess: 0,
  };
  const isExecuted = Number(await execute(asked)) !== 0;
  const process = Number(asked.hProcess);
  return isExecuted && process !== 0 ? executed(process) : undefined;
}

function executed(handle: number): Executed {
  const { bind } = loadLibrary('kernel32.dll');
  const codeOf = bind('GetExitCodeProcess', 'int', ['intptr', returned('uint32')]);
  const close = bind('CloseHandle', 'int', ['intptr']);
  return {
    exitCode() {
      const into: unknown[] = [0];
      orThrow('GetExitCodeProcess', codeOf(handle, into));
      const code = Number(into[0]);
      return code === shellConstants.STILL_ACTIVE ? undefined : code;
    },
    [Symbol.dispose]() {
      close(handle);
    },
  };
}
