import { closeSync } from 'node:fs';
import koffi from 'koffi';

/** Of <asm-generic/unistd.h>, the same on all our platforms. */
const pidfdSendSignal = 424;
const pidfdOpen = 434;
/** What it says of numbers that no process has, and of those of threads, by the kernel's version. */
const noProcess = [2, 3, 22];
const ESRCH = 3;

type SystemCall = (number: number, ...args: (number | null)[]) => unknown;
let systemCall: SystemCall | undefined;

function call(number: number, ...args: [number, number, null, number]): number {
  systemCall ??= koffi.load(null).func('long syscall(long, long, long, void *, long)') as SystemCall;
  return Number(systemCall(number, ...args));
}

/** One process, whatever its number comes to stand for later (pidfd_open(2)). */
export interface ProcessDescriptor extends Disposable {
  /** Whether it has not ended, so that its number is still its own. */
  isAlive(): boolean;
}

/** Undefined if there is no process of that number. */
export function openProcess(pid: number): ProcessDescriptor | undefined {
  const descriptor = call(pidfdOpen, pid, 0, null, 0);
  if (descriptor < 0) {
    const errno = koffi.errno();
    if (noProcess.includes(errno)) return undefined;
    throw new Error(`pidfd_open failed with errno ${errno}`);
  }
  return {
    // Signal 0 is sent to nobody; that we might not is no matter.
    isAlive: () => call(pidfdSendSignal, descriptor, 0, null, 0) === 0 || koffi.errno() !== ESRCH,
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
