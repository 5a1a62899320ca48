import { pseudoHandles } from '#node/os/windows/access-token.ts';
import { CallFailed, lastError, orThrow } from '#node/os/windows/last-error.ts';
import type { ProcessCalls } from '../calls/process-calls.ts';
import { processStartConstants as constants } from '../calls/process-structures.ts';
import { lowerToken, tokenConstants } from './lower-token.ts';

/** The system's account for services that need no rights: it may read what everybody may, and has no password. */
const localService = { name: 'LocalService', domain: 'NT AUTHORITY' } as const;

export interface RestrictedToken {
  handle: number;
  /** Whose it is. `own`: this system does not let this process log that account on, so it is this process's user's. */
  user: 'local-service' | 'own';
  /** What the system has not taken away. */
  notes: string[];
}

/**
 * A token for programs that read what others send: of an account without rights, without privileges, and with the right
 * to write only where everybody's programs may. The caller closes it. Throws `CallFailed`.
 */
export function makeRestrictedToken(calls: ProcessCalls): RestrictedToken {
  const { LOGON32_LOGON_SERVICE, LOGON32_PROVIDER_DEFAULT } = constants;
  const into: unknown[] = [0];
  const { name, domain } = localService;
  const isOn = Number(calls.logOn(name, domain, null, LOGON32_LOGON_SERVICE, LOGON32_PROVIDER_DEFAULT, into));
  if (isOn !== 0) {
    try {
      return { ...restricted(calls, Number(into[0])), user: 'local-service' };
    } catch (error) {
      // As under wine, whose token is none.
      if (!(error instanceof CallFailed)) throw error;
      return { ...restrictedOwn(calls), user: 'own' };
    }
  }
  const why = new CallFailed('LogonUserW', lastError());
  const own = restrictedOwn(calls);
  return { ...own, user: 'own', notes: [...own.notes, why.message] };
}

function restrictedOwn(calls: ProcessCalls): Omit<RestrictedToken, 'user'> {
  const rights =
    constants.TOKEN_ASSIGN_PRIMARY |
    constants.TOKEN_DUPLICATE |
    tokenConstants.TOKEN_QUERY |
    tokenConstants.TOKEN_ADJUST_PRIVILEGES |
    tokenConstants.TOKEN_ADJUST_DEFAULT;
  const into: unknown[] = [0];
  orThrow('OpenProcessToken', calls.openProcessToken(pseudoHandles.currentProcess, rights, into));
  return restricted(calls, Number(into[0]));
}

/** Closes the token that it takes the place of. */
function restricted(calls: ProcessCalls, token: number): Omit<RestrictedToken, 'user'> {
  const into: unknown[] = [0];
  try {
    orThrow(
      'CreateRestrictedToken',
      calls.restrict(token, constants.DISABLE_MAX_PRIVILEGE, 0, null, 0, null, 0, null, into),
    );
  } finally {
    calls.close(token);
  }
  const handle = Number(into[0]);
  try {
    return { handle, notes: lowerToken(handle) };
  } catch (error) {
    calls.close(handle);
    throw error;
  }
}
