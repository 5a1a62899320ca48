import type { Socket } from 'node:net';
import { descriptorOf } from './posix/socket-descriptor.ts';
import { readPeerPid } from './macos/peer-pid.ts';
import { readPeerCredentials } from './linux/peer-credentials.ts';
import { sharesProcessIds } from './linux/process-ids.ts';

export interface PeerProcess {
  pid: number;
  uid: number;
  /** Whether process ids mean the same processes to it as here. */
  sharesProcessIds: boolean;
}

/**
 * The process at the other end of a Unix socket, as the system recorded it. Undefined on systems where that is not
 * known yet, and where the socket's folder keeps others out. Throws if the system does not say.
 */
export function readPeerProcess(socket: Socket, platform: NodeJS.Platform): PeerProcess | undefined {
  if (platform !== 'linux') return undefined;
  const { pid, uid } = readPeerCredentials(socket);
  return { pid, uid, sharesProcessIds: sharesProcessIds(pid) };
}

/** Its number alone. Throws if the system does not say. */
export const readPeerNumber = (socket: Socket, platform: NodeJS.Platform): number =>
  platform === 'darwin' ? readPeerPid(descriptorOf(socket)) : readPeerCredentials(socket).pid;
