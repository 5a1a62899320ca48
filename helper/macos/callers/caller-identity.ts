import { once } from 'node:events';
import { chmodSync, chownSync } from 'node:fs';
import { descriptorOf } from '#node/os/posix/socket-descriptor.ts';
import type { CallerIdentity } from '../../system/ports/caller-identity-port.ts';
import type { Libc } from '../calls/libc.ts';
import { readPeer } from '../calls/peer-token.ts';

export interface CallerPolicy {
  allowedUids: readonly number[];
  /** Undefined if the group does not exist. */
  allowedGid: number | undefined;
}

const root = 0;

/** Throws if it is none. */
export function readUid(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is not a uid`);
  return Number(text);
}

/** By what the kernel says of who has connected. Root may always call: it could do all of this without the helper. */
export function createCallerIdentity(libc: Libc, { allowedUids, allowedGid }: CallerPolicy): CallerIdentity {
  return {
    identify(socket) {
      const { uid, gids, pid } = readPeer(libc, descriptorOf(socket));
      return {
        user: String(uid),
        isAdministrator: uid === root,
        // The kernel names 16 groups at most (<sys/ucred.h>, NGROUPS).
        isAllowed:
          uid === root ||
          allowedUids.includes(uid) ||
          (allowedGid !== undefined && gids.includes(allowedGid)),
        pid,
        sharesProcessIds: true,
      };
    },

    /** The kernel refuses those who may not write to the socket's file (unix(4)). */
    async listen(server, socketPath) {
      const listening = once(server, 'listening');
      server.listen(socketPath);
      await listening;
      // A file has one group; users who are named besides it need the file to be everybody's.
      if (allowedGid !== undefined) chownSync(socketPath, root, allowedGid);
      const isForUsers = allowedUids.some((uid) => uid !== root);
      chmodSync(socketPath, isForUsers ? 0o666 : allowedGid === undefined ? 0o600 : 0o660);
    },
  };
}
