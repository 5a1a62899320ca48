import { changed, loadLibrary, returned } from '#node/os/windows/native-library.ts';

/** <winnt.h>. */
export const endConstants = {
  PROCESS_TERMINATE: 0x1,
  PROCESS_QUERY_LIMITED_INFORMATION: 0x1000,
  SYNCHRONIZE: 0x10_0000,
} as const;
const { PROCESS_TERMINATE, PROCESS_QUERY_LIMITED_INFORMATION, SYNCHRONIZE } = endConstants;

const maxProcesses = 65_536;
const bytesOfId = 4;
const maxPathUnits = 32_768;
const endMs = 10_000;

/** The processes that run a file, except this process. Those that cannot be examined are left out. */
export function runningPrograms(file: string): number[] {
  const pids: number[] = [];
  eachProgram(file, (pid) => pids.push(pid));
  return pids;
}

/**
 * Ends every process that runs a file, except this process, and waits until they are gone: Windows neither removes nor
 * renames a program that is running. Processes that cannot be examined are left.
 */
export function endPrograms(file: string): void {
  const { bind } = loadLibrary('kernel32.dll');
  const end = bind('TerminateProcess', 'int', ['intptr', 'uint32']);
  const wait = bind('WaitForSingleObject', 'uint32', ['intptr', 'uint32']);
  eachProgram(file, (_, handle) => {
    end(handle, 1);
    wait(handle, endMs);
  });
}

function eachProgram(file: string, act: (pid: number, handle: number) => void): void {
  const { bind } = loadLibrary('kernel32.dll');
  const native = {
    list: bind('K32EnumProcesses', 'int', ['void *', 'uint32', returned('uint32')]),
    open: bind('OpenProcess', 'intptr', ['uint32', 'int', 'uint32']),
    image: bind('QueryFullProcessImageNameW', 'int', ['intptr', 'uint32', 'void *', changed('uint32')]),
    close: bind('CloseHandle', 'int', ['intptr']),
  };
  const list = Buffer.alloc(maxProcesses * bytesOfId);
  const bytes: unknown[] = [0];
  native.list(list, list.length, bytes);
  for (let at = 0; at < Number(bytes[0]); at += bytesOfId) {
    const pid = list.readUInt32LE(at);
    if (pid === process.pid) continue;
    const rights = PROCESS_TERMINATE | PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE;
    const handle = Number(native.open(rights, 0, pid));
    if (handle === 0) continue;
    const name = Buffer.alloc(2 * maxPathUnits);
    const units: unknown[] = [maxPathUnits];
    const isFound = Number(native.image(handle, 0, name, units)) !== 0;
    const image = name.toString('utf16le', 0, 2 * Number(units[0]));
    if (isFound && image.toLowerCase() === file.toLowerCase()) act(pid, handle);
    native.close(handle);
  }
}
