import { findAccount, isSid, wellKnownSids, type Sid } from '#node/os/windows/security-identifier.ts';
import { listenOnPipe, type PipeClient } from './pipe-server.ts';
import type { Caller, CallerIdentity } from '../../system/ports/caller-identity-port.ts';

export interface CallerPolicy {
  allowedUsers: readonly Sid[];
  /** Absent if the group does not exist. */
  allowedGroup: Sid | undefined;
}

/** A user as the command line says it. Throws if it is none. */
export function readUser(text: string): Sid {
  if (!isSid(text)) throw new Error(`${text} is not a security identifier`);
  return text;
}

/** The group with that name: `interactive`, which has another name in each language of Windows, or a local one. */
export const findGroup = (name: string): Sid | undefined =>
  name === 'interactive' ? wellKnownSids.interactive : findAccount(name);

/**
 * Administrators and the system may always call: they could do all of this without the helper. What they are allowed
 * counts, not what they are: an administrator whose program has not been started as such is a user.
 */
export function callerOf({ user, groups, pid }: PipeClient, policy: CallerPolicy): Caller {
  const isAdministrator = user === wellKnownSids.system || groups.has(wellKnownSids.administrators);
  const isOfGroup = policy.allowedGroup !== undefined && groups.has(policy.allowedGroup);
  return {
    user,
    isAdministrator,
    isAllowed: isAdministrator || isOfGroup || policy.allowedUsers.includes(user),
    pid,
    sharesProcessIds: true,
  };
}

/** <winnt.h>. */
export const pipeRights = {
  FILE_GENERIC_READ: 0x12_0089,
  FILE_GENERIC_WRITE: 0x12_0116,
  FILE_CREATE_PIPE_INSTANCE: 0x4,
} as const;
const { FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_CREATE_PIPE_INSTANCE } = pipeRights;

/**
 * Rights to read and write a pipe (PipeAccessRights.ReadWrite of .NET, and to wait for it), without that to create
 * another one with its name.
 */
const rights = (FILE_GENERIC_READ | FILE_GENERIC_WRITE) & ~FILE_CREATE_PIPE_INSTANCE;
const readAndWrite = `0x${rights.toString(16)}`;

/** Nobody over the network, whoever they are; the system and administrators; and those who may call. */
export function pipeAccess({ allowedUsers, allowedGroup }: CallerPolicy): string {
  const allowed = [...allowedUsers, ...(allowedGroup === undefined ? [] : [allowedGroup])];
  return `D:P(D;;GA;;;NU)(A;;GA;;;SY)(A;;GA;;;BA)${allowed.map((sid) => `(A;;${readAndWrite};;;${sid})`).join('')}`;
}

/** Who calls is known by the token of whoever wrote the first byte, and its process by the system's word. */
export const createCallerIdentity = (policy: CallerPolicy): CallerIdentity => ({
  async listen(pipe, listener) {
    const { allowedGroup } = policy;
    const server = listenOnPipe({
      path: pipe,
      access: pipeAccess(policy),
      groups: [wellKnownSids.administrators, ...(allowedGroup === undefined ? [] : [allowedGroup])],
      onClient: (socket, client) => listener.onCaller(socket, callerOf(client, policy)),
      onProblem: (error) => listener.onProblem('the pipe failed', error),
    });
    return {
      async close() {
        server.close();
      },
    };
  },
});
