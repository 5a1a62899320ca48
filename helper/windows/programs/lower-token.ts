import { CallFailed, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { addressOf, changed, loadLibrary, steadyMemory } from '#node/os/windows/native-library.ts';
import { readSid, sidBytes } from '#node/os/windows/security-identifier.ts';

/** <winnt.h>. */
export const tokenConstants = {
  TOKEN_QUERY: 0x8,
  TOKEN_ADJUST_PRIVILEGES: 0x20,
  TOKEN_ADJUST_DEFAULT: 0x80,
  TokenPrivileges: 3,
  TokenIntegrityLevel: 25,
  SE_PRIVILEGE_REMOVED: 0x4,
  SE_GROUP_INTEGRITY: 0x20,
} as const;
const { TokenPrivileges, TokenIntegrityLevel, SE_PRIVILEGE_REMOVED, SE_GROUP_INTEGRITY } = tokenConstants;
/** LUID_AND_ATTRIBUTES: two numbers that name the privilege, and one of flags. */
const privilegeBytes = 12;
/** To pass directories on the way to a file, which everybody has (SE_CHANGE_NOTIFY_PRIVILEGE). */
const changeNotify = 23;
/** SECURITY_MANDATORY_LOW_RID: writes to nothing that others have not opened for such processes. */
const lowIntegrity = 'S-1-16-4096';

/**
 * Takes from a token what it allows beyond what everybody may: its privileges, and the right to write to what others
 * have. Returns what this system does not support; throws if something is left that it does. The token stays its
 * user's, and allows to read what that may read.
 */
export function lowerToken(token: number): string[] {
  const advapi = loadLibrary('advapi32.dll');
  const native = {
    read: advapi.bind('GetTokenInformation', 'int', ['intptr', 'int', 'void *', 'uint32', changed('uint32')]),
    set: advapi.bind('SetTokenInformation', 'int', ['intptr', 'int', 'void *', 'uint32']),
    adjust: advapi.bind('AdjustTokenPrivileges', 'int', [
      'intptr',
      'int',
      'void *',
      'uint32',
      'void *',
      'void *',
    ]),
  };
  const read = (what: number) => {
    const information = steadyMemory(4_096);
    orThrow('GetTokenInformation', native.read(token, what, information, information.length, [0]));
    return information;
  };
  const privileges = () => {
    const found = read(TokenPrivileges);
    return Array.from({ length: found.readUInt32LE(0) }, (_, index) =>
      found.subarray(4 + index * privilegeBytes, 4 + (index + 1) * privilegeBytes),
    ).filter((one) => one.readUInt32LE(0) !== changeNotify || one.readInt32LE(4) !== 0);
  };
  const removed = privileges();
  const list = steadyMemory(4 + removed.length * privilegeBytes);
  list.writeUInt32LE(removed.length, 0);
  for (const [index, privilege] of removed.entries()) {
    privilege.copy(list, 4 + index * privilegeBytes);
    list.writeUInt32LE(SE_PRIVILEGE_REMOVED, 4 + index * privilegeBytes + 8);
  }
  orThrow('AdjustTokenPrivileges', native.adjust(token, 0, list, list.length, null, null));
  if (privileges().length > 0) throw new CallFailed('AdjustTokenPrivileges', lastError());

  // TOKEN_MANDATORY_LABEL: the address of the level, and its flags.
  const sid = sidBytes(lowIntegrity);
  const label = steadyMemory(16);
  label.writeBigUInt64LE(addressOf(sid), 0);
  label.writeUInt32LE(SE_GROUP_INTEGRITY, 8);
  orThrow('SetTokenInformation', native.set(token, TokenIntegrityLevel, label, label.length));
  const found = read(TokenIntegrityLevel);
  const level = readSid(found, Number(found.readBigUInt64LE(0) - addressOf(found)));
  return level === lowIntegrity ? [] : [`this system keeps the integrity level ${level}`];
}
