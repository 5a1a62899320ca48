import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import koffi from 'koffi';
import * as z from 'zod/mini';

type GetSocketOption = (
  descriptor: number,
  level: number,
  option: number,
  value: Buffer,
  length: Uint32Array,
) => number;

/** Constants of <asm-generic/socket.h>, the same on all supported Linux platforms. */
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

const handleWithDescriptor = z.object({ fd: z.int().check(z.nonnegative()) });

/**
 * The user and the process at the other end of a Unix socket, as the kernel recorded them when they connected or
 * listened (unix(7), SO_PEERCRED). Undefined on other systems, where the socket's folder keeps others out.
 */
export function readPeer(
  socket: Socket,
  platform: NodeJS.Platform,
): { pid: number; uid: number } | undefined {
  if (platform !== 'linux') return undefined;
  const getsockopt = koffi
    .load(null)
    .func('int getsockopt(int, int, int, _Out_ void *, _Inout_ uint32_t *)') as GetSocketOption;
  const { fd } = handleWithDescriptor.parse(Reflect.get(socket, '_handle'));
  // struct ucred: pid, uid, gid.
  const value = Buffer.alloc(12);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, value, new Uint32Array([value.length])) !== 0)
    throw new Error(`getsockopt failed with errno ${koffi.errno()}`);
  return { pid: value.readInt32LE(0), uid: value.readUInt32LE(4) };
}

/**
 * Whether process ids mean the same processes at the other end. A process in a child PID namespace has another number
 * there (proc_pid_status(5), NSpid), and one in an unrelated namespace has no number here.
 */
export function sharesProcessIds(peer: { pid: number } | undefined): boolean {
  if (!peer) return true;
  try {
    return !/^NSpid:\t\d+\t/m.test(readFileSync(`/proc/${peer.pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
