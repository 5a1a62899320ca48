import koffi from 'koffi';
import { loadGetSocketOption } from '../posix/socket-option.ts';

/** <sys/un.h>, the same on both processors. */
export const peerOptions = { SOL_LOCAL: 0, LOCAL_PEERPID: 2 } as const;

/**
 * The process that has last used the other end of a Unix socket, which the kernel knows. Throws if it does not say, as
 * when that end is closed. `library`: a file, or null for what this process has loaded already.
 */
export function readPeerPid(descriptor: number, library: string | null = null): number {
  const getOption = loadGetSocketOption(library);
  const value = Buffer.alloc(4);
  const length = new Uint32Array([value.length]);
  const { SOL_LOCAL, LOCAL_PEERPID } = peerOptions;
  if (getOption(descriptor, SOL_LOCAL, LOCAL_PEERPID, value, length) !== 0)
    throw new Error(`getsockopt failed with errno ${koffi.errno()}`);
  return value.readInt32LE();
}
