import type { Socket } from 'node:net';
import { listenAtPath } from '../../posix/listen-at-path.ts';
import type { Caller, CallerIdentity } from '../../system/ports/caller-identity-port.ts';
import { setAccessList } from './access-list.ts';
import { readPeerCredentials, type PeerCredentials } from '#node/os/linux/peer-credentials.ts';
import { sharesProcessIds } from '#node/os/linux/process-ids.ts';

export interface CallerPolicy {
  allowedUids: readonly number[];
  /** Absent if the group does not exist. */
  allowedGid: number | undefined;
}

const root = 0;

/** Root may always call: it could do all of this without the helper. */
export function mayCall(
  { uid, gids }: Pick<PeerCredentials, 'uid' | 'gids'>,
  { allowedUids, allowedGid }: CallerPolicy,
): boolean {
  return uid === root || allowedUids.includes(uid) || (allowedGid !== undefined && gids.includes(allowedGid));
}

export function createCallerIdentity(policy: CallerPolicy): CallerIdentity {
  const { allowedUids, allowedGid } = policy;
  const identify = (socket: Socket): Caller => {
    const peer = readPeerCredentials(socket);
    return {
      user: String(peer.uid),
      isAdministrator: peer.uid === root,
      isAllowed: mayCall(peer, policy),
      pid: peer.pid,
      sharesProcessIds: sharesProcessIds(peer.pid),
    };
  };
  return {
    /**
     * The kernel refuses users who may not write to the socket's file (unix(7)), so they neither take the helper's time
     * nor fill its queue for everybody else.
     */
    listen: (socketPath, listener) =>
      listenAtPath(socketPath, listener, {
        identify,
        protect: (file) =>
          setAccessList(file, {
            users: allowedUids.filter((uid) => uid !== root),
            groups: allowedGid === undefined ? [] : [allowedGid],
          }),
      }),
  };
}
