import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
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

/** Throws if it is none. */
export function readUid(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is not a uid`);
  return Number(text);
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
    async listen(socketPath, listener) {
      await mkdir(path.dirname(socketPath), { recursive: true, mode: 0o755 });
      await rm(socketPath, { force: true });
      const server = createServer((socket) => {
        let caller: Caller;
        try {
          caller = identify(socket);
        } catch (error) {
          socket.destroy();
          return listener.onProblem('the caller cannot be told', error);
        }
        listener.onCaller(socket, caller);
      });
      server.on('error', (error) => listener.onProblem('the socket failed', error));
      const listening = once(server, 'listening');
      server.listen(socketPath);
      await listening;
      // Until then, the umask lets only root write to it.
      setAccessList(socketPath, {
        users: allowedUids.filter((uid) => uid !== root),
        groups: allowedGid === undefined ? [] : [allowedGid],
      });
      return {
        close: () =>
          new Promise((resolve) => {
            server.close(() => resolve());
          }),
      };
    },
  };
}
