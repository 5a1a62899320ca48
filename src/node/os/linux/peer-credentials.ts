import type { Socket } from 'node:net';
import koffi from 'koffi';
import { descriptorOf } from '../posix/socket-descriptor.ts';
import { loadGetSocketOption, type GetSocketOption } from '../posix/socket-option.ts';

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

let getsockopt: GetSocketOption | undefined;

/**
 * The process at the other end of a Unix socket, as the kernel recorded it when the peer connected or listened
 * (unix(7), SO_PEERCRED and SO_PEERGROUPS); the peer cannot forge it. Throws if the kernel does not say.
 */
export function readPeerCredentials(socket: Socket): PeerCredentials {
  const descriptor = descriptorOf(socket);
  const credentials = readOption(descriptor, SO_PEERCRED, 12);
  const groups = readOption(descriptor, SO_PEERGROUPS, usualGroupBytes);
  return {
    pid: credentials.readInt32LE(0),
    uid: credentials.readUInt32LE(4),
    gids: [
      credentials.readUInt32LE(8),
      ...Array.from({ length: groups.length / 4 }, (_, index) => groups.readUInt32LE(index * 4)),
    ],
  };
}

function readOption(descriptor: number, option: number, size: number): Buffer {
  getsockopt ??= loadGetSocketOption(null);
  const value = Buffer.alloc(size);
  const length = new Uint32Array([size]);
  if (getsockopt(descriptor, SOL_SOCKET, option, value, length) === 0) return value.subarray(0, length[0]);
  const [needed = 0] = length;
  if (koffi.errno() === ERANGE && needed > size) return readOption(descriptor, option, needed);
  throw new Error(`getsockopt failed with errno ${koffi.errno()}`);
}
