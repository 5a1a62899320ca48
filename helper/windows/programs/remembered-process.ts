import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod/mini';
import { orThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary, steadyMemory } from '#node/os/windows/native-library.ts';
import { sizeOf, structure } from '#node/os/windows/structure.ts';

/** <winnt.h>. */
export const processConstants = {
  PROCESS_TERMINATE: 0x1,
  PROCESS_QUERY_LIMITED_INFORMATION: 0x1000,
  SYNCHRONIZE: 0x10_0000,
} as const;
const endMs = 10_000;
/** Of <minwindef.h>: when it was created, has exited, and how long it has computed in two ways. */
export const FILETIME = structure('FILETIME', { dwLowDateTime: 'uint32', dwHighDateTime: 'uint32' });
const timeBytes = sizeOf(FILETIME);

const record = z.object({ pid: z.int(), createdAt: z.string() });

let calls: ReturnType<typeof load> | undefined;

function load() {
  const { bind } = loadLibrary('kernel32.dll');
  return {
    open: bind('OpenProcess', 'intptr', ['uint32', 'int', 'uint32']),
    times: bind('GetProcessTimes', 'int', ['intptr', 'void *', 'void *', 'void *', 'void *']),
    end: bind('TerminateProcess', 'int', ['intptr', 'uint32']),
    wait: bind('WaitForSingleObject', 'uint32', ['intptr', 'uint32']),
    close: bind('CloseHandle', 'int', ['intptr']),
  };
}

/** Writes down a process that this one has started and that may outlive it. Throws if it has ended already. */
export function rememberProcess(file: string, pid: number): void {
  const createdAt = withProcess(pid, createdAtOf);
  if (createdAt === undefined) throw new Error('the process has ended already');
  writeFileSync(file, JSON.stringify({ pid, createdAt }));
}

/**
 * Ends the process that was written down there, if it still runs, and waits until it is gone. By its number and the
 * time of its creation: Windows gives numbers to others soon.
 */
export function endRememberedProcess(file: string): void {
  const found = readRecord(file);
  if (!found) return;
  withProcess(found.pid, (handle) => {
    const { end, wait } = (calls ??= load());
    if (createdAtOf(handle) !== found.createdAt) return;
    end(handle, 1);
    wait(handle, endMs);
  });
  rmSync(file, { force: true });
}

/** Undefined if there is none. */
function readRecord(file: string): z.infer<typeof record> | undefined {
  try {
    return record.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function createdAtOf(handle: number): string {
  const [created, exited, kernel, user] = Array.from({ length: 4 }, () => steadyMemory(timeBytes));
  orThrow('GetProcessTimes', (calls ??= load()).times(handle, created, exited, kernel, user));
  return String(created?.readBigUInt64LE(0));
}

/** Undefined if there is no such process. */
function withProcess<Result>(pid: number, act: (handle: number) => Result): Result | undefined {
  const { open, close } = (calls ??= load());
  const { PROCESS_TERMINATE, PROCESS_QUERY_LIMITED_INFORMATION, SYNCHRONIZE } = processConstants;
  const rights = PROCESS_TERMINATE | PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE;
  const handle = Number(open(rights, 0, pid));
  if (handle === 0) return undefined;
  try {
    return act(handle);
  } finally {
    close(handle);
  }
}
