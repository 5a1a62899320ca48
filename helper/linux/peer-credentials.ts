import type { Socket } from 'node:net';
import koffi from 'koffi';
import { z } from 'zod';

/** The process at the other end of a socket. */
export interface PeerCredentials {
  pid: number;
  uid: number;
  /** Primary and supplementary groups. */
  gids: number[];
}

/** Constants of <asm-generic/socket.h>, the same on all supported Linux platforms. */
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const SO_PEERGROUPS = 59;

/**
 * ERANGE of <asm-generic/errno-base.h>: there are more groups than fit into the buffer; its length now says how many.
 */
const ERANGE = 34;

/** Four bytes per group; few users have more groups. */
const usualGroupBytes = 64 * 4;

type GetSocketOption = (
  descriptor: number,
  level: number,
  option: number,
  value: Buffer,
  length: Uint32Array,
) => number;

const handleWithDescriptor = z.object({ fd: z.number().int().nonnegative() });

/**
 * Reads the process at the other end of a Unix socket, as the kernel recorded it when the peer connected (unix(7),
 * SO_PEERCRED and SO_PEERGROUPS); the peer cannot forge it.
 */
export function createPeerCredentialsReader(): (socket: Socket) => PeerCredentials {
  const getsockopt = koffi
    .load(null)
    .func('int getsockopt(int, int, int, _Out_ void *, _Inout_ uint32_t *)') as GetSocketOption;

  const read = (descriptor: number, option: number, size: number): Buffer => {
    const value = Buffer.alloc(size);
    const length = new Uint32Array([size]);
    if (getsockopt(descriptor, SOL_SOCKET, option, value, length) === 0) return value.subarray(0, length[0]);
    const [needed = 0] = length;
    if (koffi.errno() === ERANGE && needed > size) return read(descriptor, option, needed);
    throw new Error(`getsockopt failed with errno ${koffi.errno()}`);
  };

  return (socket) => {
    const { fd } = handleWithDescriptor.parse(Reflect.get(socket, '_handle'));
    const credentials = read(fd, SO_PEERCRED, 12);
    const groups = read(fd, SO_PEERGROUPS, usualGroupBytes);
    return {
      pid: credentials.readInt32LE(0),
      uid: credentials.readUInt32LE(4),
      gids: [
        credentials.readUInt32LE(8),
        ...Array.from({ length: groups.length / 4 }, (_, index) => groups.readUInt32LE(index * 4)),
      ],
    };
  };
}
