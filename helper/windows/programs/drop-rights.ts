import { pseudoHandles } from '#node/os/windows/access-token.ts';
import { orThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';
import { lowerToken, tokenConstants as constants } from './lower-token.ts';

/** Gives up for good what this process may do beyond what everybody may; see `lowerToken`. */
export function dropRights(): string[] {
  const open = loadLibrary('advapi32.dll').bind('OpenProcessToken', 'int', [
    'intptr',
    'uint32',
    returned('intptr'),
  ]);
  const close = loadLibrary('kernel32.dll').bind('CloseHandle', 'int', ['intptr']);
  const into: unknown[] = [0];
  const rights = constants.TOKEN_QUERY | constants.TOKEN_ADJUST_PRIVILEGES | constants.TOKEN_ADJUST_DEFAULT;
  orThrow('OpenProcessToken', open(pseudoHandles.currentProcess, rights, into));
  const token = Number(into[0]);
  try {
    return lowerToken(token);
  } finally {
    close(token);
  }
}
