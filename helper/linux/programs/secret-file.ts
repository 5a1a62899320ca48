import { closeSync, fchmodSync, writeSync } from 'node:fs';
import koffi from 'koffi';
import type { SecretFile } from '../../system/ports/engine-host-port.ts';

/** The number of memfd_create(2), by architecture. */
const systemCalls: Partial<Record<NodeJS.Architecture, number>> = { x64: 319, arm64: 279 };

/** Flags of <linux/memfd.h>. */
const MFD_CLOEXEC = 1;
const MFD_ALLOW_SEALING = 2;

/** The command and the seals of <linux/fcntl.h>: neither the content nor the seals can be changed afterwards. */
const F_ADD_SEALS = 1033;
const F_SEAL_SEAL = 1;
const F_SEAL_SHRINK = 2;
const F_SEAL_GROW = 4;
const F_SEAL_WRITE = 8;
const allSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

type Functions = {
  call: (number: number, name: string, flags: number) => unknown;
  fcntl: (descriptor: number, command: number, value: number) => unknown;
};
let functions: Functions | undefined;

function load(): Functions {
  const library = koffi.load(null);
  return {
    call: library.func('long syscall(long, str, unsigned int)') as Functions['call'],
    fcntl: library.func('int fcntl(int, int, int)') as Functions['fcntl'],
  };
}

/**
 * Memory that is a file without a name (memfd_create(2)), sealed: only a process that inherits its descriptor can read
 * it, and it ceases to exist with the last descriptor.
 */
export function createSecretFile(content: string): SecretFile {
  const number = systemCalls[process.arch];
  if (number === undefined) throw new Error(`no secret files on ${process.arch}`);
  const { call, fcntl } = (functions ??= load());
  // The name is visible in /proc, and means nothing.
  const descriptor = Number(call(number, 'waymaker', MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (descriptor < 0) throw new Error(`memfd_create failed with errno ${koffi.errno()}`);
  const bytes = Buffer.from(content);
  try {
    // The engine's user is not its owner. Who could open it by the descriptor of a process could read that process.
    fchmodSync(descriptor, 0o444);
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    if (Number(fcntl(descriptor, F_ADD_SEALS, allSeals)) !== 0)
      throw new Error(`the secret file cannot be sealed: errno ${koffi.errno()}`);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  } finally {
    bytes.fill(0);
  }
  return {
    descriptor,
    pathIn: (inherited) => `/proc/self/fd/${inherited}`,
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
