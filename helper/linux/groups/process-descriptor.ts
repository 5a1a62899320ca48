import { closeSync } from 'node:fs';
import koffi from 'koffi';

/** System calls of <asm-generic/unistd.h>, the same on all supported platforms. */
const pidfdSendSignal = 424;
const pidfdOpen = 434;
/** Errors for pids without a process and for thread ids, depending on the kernel's version. */
const noProcess = [2, 3, 22];
const ESRCH = 3;

type SystemCall = (number: number, ...args: (number | null)[]) => unknown;
let systemCall: SystemCall | undefined;

function call(number: number, ...args: [number, number, null, number]): number {
  systemCall ??= koffi.load(null).func('long syscall(long, long, long, void *, long)') as SystemCall;
  return Number(systemCall(number, ...args));
}

/** A handle for one process, even if its pid is reused later (pidfd_open(2)). */
export interface ProcessDescriptor extends Disposable {
  /** Whether it is still running, so that its pid is still its own. */
  isAlive(): boolean;
}

/** Undefined if no process has this pid. */
export function openProcess(pid: number): ProcessDescriptor | undefined {
  const descriptor = call(pidfdOpen, pid, 0, null, 0);
  if (descriptor < 0) {
    const errno = koffi.errno();
    if (noProcess.includes(errno)) return undefined;
    throw new Error(`pidfd_open failed with errno ${errno}`);
  }
  return {
    // Signal 0 is not delivered; it does not matter if we would not be allowed to send it.
    isAlive: () => call(pidfdSendSignal, descriptor, 0, null, 0) === 0 || koffi.errno() !== ESRCH,
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
