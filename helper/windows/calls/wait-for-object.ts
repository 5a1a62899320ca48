import koffi from 'koffi';
import { orThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';

/** <winnt.h>, <winbase.h>. */
export const waitConstants = { WT_EXECUTEONLYONCE: 0x8, INFINITE: 0xffff_ffff } as const;
const { WT_EXECUTEONLYONCE, INFINITE } = waitConstants;

let calls: ReturnType<typeof load> | undefined;

function load() {
  const { bind } = loadLibrary('kernel32.dll');
  const callback = koffi.pointer(koffi.proto('__stdcall', null, 'void', ['uintptr', 'uint8']));
  return {
    callback,
    register: bind('RegisterWaitForSingleObject', 'int', [
      returned('intptr'),
      'intptr',
      callback,
      'uintptr',
      'uint32',
      'uint32',
    ]),
    unregister: bind('UnregisterWaitEx', 'int', ['intptr', 'intptr']),
  };
}

/** Waits for one of the system's objects again and again, without a thread of our own. */
export interface ObjectWait {
  /** Calls back once: `signalled`, or `late` after so many milliseconds. One wait at a time. */
  start(object: number, milliseconds?: number): void;
  /** What waits is never called back. */
  close(): void;
}

export function createObjectWait(onEnd: (outcome: 'signalled' | 'late') => void): ObjectWait {
  const { callback, register, unregister } = (calls ??= load());
  let waiting = 0;
  let isClosed = false;
  const stop = () => {
    if (waiting !== 0) unregister(waiting, 0);
    waiting = 0;
  };
  // The system's threads call it, and koffi has it run in this one.
  const called = koffi.register((_: unknown, isLate: number) => {
    stop();
    if (!isClosed) onEnd(isLate === 0 ? 'signalled' : 'late');
  }, callback);
  return {
    start(object, milliseconds = INFINITE) {
      const into: unknown[] = [0];
      orThrow(
        'RegisterWaitForSingleObject',
        register(into, object, called, 0, milliseconds, WT_EXECUTEONLYONCE),
      );
      waiting = Number(into[0]);
    },
    close() {
      isClosed = true;
      stop();
      // Not unregistered: one of the system's threads may be about to call it.
    },
  };
}
