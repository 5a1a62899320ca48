import { handleOrThrow, orThrow } from './last-error.ts';
import { addressOf, changed, loadLibrary, returned, steadyMemory } from './native-library.ts';
import { readSid, sidBytes, wellKnownSids, type Sid } from './security-identifier.ts';
import { TOKEN_USER } from './security-structures.ts';
import { placeOf } from './structure.ts';

/** <winnt.h>. */
export const accessTokenConstants = { TOKEN_QUERY: 0x8, TokenUser: 1 } as const;
const { TOKEN_QUERY, TokenUser } = accessTokenConstants;
const sidAt = placeOf(TOKEN_USER, 'Sid');
/** What GetCurrentProcess and GetCurrentThread return (Microsoft's documentation of both, “pseudo handle”). */
export const pseudoHandles = { currentProcess: -1, currentThread: -2 } as const;
const { currentProcess, currentThread } = pseudoHandles;

let calls: ReturnType<typeof load> | undefined;

function load() {
  const advapi = loadLibrary('advapi32.dll');
  const kernel = loadLibrary('kernel32.dll');
  return {
    impersonate: advapi.bind('ImpersonateNamedPipeClient', 'int', ['intptr']),
    revert: advapi.bind('RevertToSelf', 'int', []),
    ofThread: advapi.bind('OpenThreadToken', 'int', ['intptr', 'uint32', 'int', returned('intptr')]),
    ofProcess: advapi.bind('OpenProcessToken', 'int', ['intptr', 'uint32', returned('intptr')]),
    read: advapi.bind('GetTokenInformation', 'int', ['intptr', 'int', 'void *', 'uint32', changed('uint32')]),
    isMember: advapi.bind('CheckTokenMembership', 'int', ['intptr', 'void *', returned('int')]),
    close: kernel.bind('CloseHandle', 'int', ['intptr']),
  };
}

/** Who somebody is, according to a token. */
export interface TokenIdentity {
  user: Sid;
  /** Those of the groups that were asked for. Where the system withholds administrators' rights, they are none. */
  groups: ReadonlySet<Sid>;
}

/**
 * Who is at the other end of a pipe: this thread takes the client's place for a moment, which the system allows once
 * something was read from the pipe. Throws if the system does not say.
 */
export function pipeClientIdentity(pipe: number, groups: readonly Sid[]): TokenIdentity {
  const { impersonate, revert, ofThread, close } = (calls ??= load());
  orThrow('ImpersonateNamedPipeClient', impersonate(pipe));
  const into: unknown[] = [0];
  let isOpen: number;
  try {
    isOpen = Number(ofThread(currentThread, TOKEN_QUERY, 1, into));
  } finally {
    // Nothing more may be done as somebody else.
    if (Number(revert()) === 0) process.abort();
  }
  const token = handleOrThrow('OpenThreadToken', isOpen === 0 ? 0 : into[0]);
  try {
    return { user: userOf(token), groups: new Set(groups.filter((group) => isMember(token, group))) };
  } finally {
    close(token);
  }
}

/** The user as whom this process runs. */
export function ownUser(): Sid {
  const { ofProcess, close } = (calls ??= load());
  const into: unknown[] = [0];
  orThrow('OpenProcessToken', ofProcess(currentProcess, TOKEN_QUERY, into));
  const token = Number(into[0]);
  try {
    return userOf(token);
  } finally {
    close(token);
  }
}

/** Whether this process may do what administrators may; one of theirs that was not started as such may not. */
export function isAdministrator(): boolean {
  // Without a token, it is about this thread, or else this process.
  return ownUser() === wellKnownSids.system || isMember(0, wellKnownSids.administrators);
}

function userOf(token: number): Sid {
  const { read } = (calls ??= load());
  const information = steadyMemory(256);
  orThrow('GetTokenInformation', read(token, TokenUser, information, information.length, [0]));
  // The identifier is in the same memory.
  return readSid(information, Number(information.readBigUInt64LE(sidAt) - addressOf(information)));
}

function isMember(token: number, group: Sid): boolean {
  const { isMember: ask } = (calls ??= load());
  const into: unknown[] = [0];
  orThrow('CheckTokenMembership', ask(token, sidBytes(group), into));
  return Number(into[0]) !== 0;
}
