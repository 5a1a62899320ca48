import { chmodSync, chownSync } from 'node:fs';
import type { Socket } from 'node:net';
import { descriptorOf } from '#node/os/posix/socket-descriptor.ts';
import { listenAtPath } from '../../posix/listen-at-path.ts';
import type { Caller, CallerIdentity } from '../../system/ports/caller-identity-port.ts';
import type { CodeSignatures } from '../calls/code-signature.ts';
import type { GroupMemberships } from '../calls/group-membership.ts';
import type { Libc } from '../calls/libc.ts';
import { readPeer, type Peer } from '../calls/peer-token.ts';

export interface CallerPolicy {
  allowedUids: readonly number[];
  /** Undefined if the group does not exist. */
  allowedGid: number | undefined;
  /** What the callers' programs have to be signed as, in the language of code requirements; undefined: nothing. */
  codeRequirement: string | undefined;
}

const root = 0;

/**
 * By what the kernel says of who has connected, and what their program is signed as. Root may always call: it could do
 * all of this without the helper.
 */
export function createCallerIdentity(
  system: { libc: Libc; signatures: CodeSignatures; memberships: GroupMemberships },
  { allowedUids, allowedGid, codeRequirement }: CallerPolicy,
): CallerIdentity {
  const { libc, signatures, memberships } = system;

  /** The kernel names the last process that has used the socket: it has to be the same before and after the check. */
  function isSigned(descriptor: number, token: Buffer): boolean {
    if (codeRequirement === undefined) return true;
    return signatures.meets(token, codeRequirement) && readPeer(libc, descriptor).token.equals(token);
  }

  /** The kernel names 16 groups at most (<sys/ucred.h>, NGROUPS), and every administrator is in about as many. */
  const isOfGroup = ({ uid, gids }: Peer) =>
    allowedGid !== undefined && (gids.includes(allowedGid) || memberships.isMember(uid, allowedGid));

  function identify(socket: Socket): Caller {
    const descriptor = descriptorOf(socket);
    const peer = readPeer(libc, descriptor);
    const { uid, pid, token } = peer;
    const isOfUsers = () => allowedUids.includes(uid) || isOfGroup(peer);
    return {
      user: String(uid),
      isAdministrator: uid === root,
      isAllowed: uid === root || (isOfUsers() && isSigned(descriptor, token)),
      pid,
      sharesProcessIds: true,
    };
  }

  /** The kernel refuses those who may not write to the socket's file (unix(4)). */
  function protect(file: string): void {
    // A file has one group; users who are named besides it need the file to be everybody's.
    if (allowedGid !== undefined) chownSync(file, root, allowedGid);
    const isForUsers = allowedUids.some((uid) => uid !== root);
    chmodSync(file, isForUsers ? 0o666 : allowedGid === undefined ? 0o600 : 0o660);
  }

  return {
    listen: (socketPath, listener) => listenAtPath(socketPath, listener, { identify, protect }),
  };
}
