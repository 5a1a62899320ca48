import { CallFailed, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { addressOf, changed, loadLibrary, steadyMemory } from '#node/os/windows/native-library.ts';
import { readSid, sidBytes } from '#node/os/windows/security-identifier.ts';
import { placeOf, sizeOf } from '#node/os/windows/structure.ts';
import { LUID_AND_ATTRIBUTES, TOKEN_MANDATORY_LABEL, TOKEN_PRIVILEGES } from './token-structures.ts';

/** <winnt.h>. */
export const tokenConstants = {
  TOKEN_QUERY: 0x8,
  TOKEN_ADJUST_PRIVILEGES: 0x20,
  TOKEN_ADJUST_DEFAULT: 0x80,
  TokenPrivileges: 3,
  TokenIntegrityLevel: 25,
  SE_PRIVILEGE_REMOVED: 0x4,
  SE_GROUP_INTEGRITY: 0x20,
  SECURITY_MANDATORY_LOW_RID: 0x1000,
} as const;
const { TokenPrivileges, TokenIntegrityLevel, SE_PRIVILEGE_REMOVED, SE_GROUP_INTEGRITY } = tokenConstants;
/** Only headers for drivers have it (<wdm.h>). */
export const privilegeNumbers = { SE_CHANGE_NOTIFY_PRIVILEGE: 23 } as const;
/** To pass directories on the way to a file, which everybody has. */
const { SE_CHANGE_NOTIFY_PRIVILEGE: changeNotify } = privilegeNumbers;

const countAt = placeOf(TOKEN_PRIVILEGES, 'PrivilegeCount');
const listAt = placeOf(TOKEN_PRIVILEGES, 'Privileges');
const privilegeBytes = sizeOf(LUID_AND_ATTRIBUTES);
const [lowAt, highAt] = [placeOf(LUID_AND_ATTRIBUTES, 'LowPart'), placeOf(LUID_AND_ATTRIBUTES, 'HighPart')];
const attributesAt = placeOf(LUID_AND_ATTRIBUTES, 'Attributes');
const sidAt = placeOf(TOKEN_MANDATORY_LABEL, 'Sid');
/** Writes to nothing that others have not opened for such processes. */
const lowIntegrity = `S-1-16-${tokenConstants.SECURITY_MANDATORY_LOW_RID}` as const;

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
    return Array.from({ length: found.readUInt32LE(countAt) }, (_, index) =>
      found.subarray(listAt + index * privilegeBytes, listAt + (index + 1) * privilegeBytes),
    ).filter((one) => one.readUInt32LE(lowAt) !== changeNotify || one.readInt32LE(highAt) !== 0);
  };
  const removed = privileges();
  const list = steadyMemory(listAt + removed.length * privilegeBytes);
  list.writeUInt32LE(removed.length, countAt);
  for (const [index, privilege] of removed.entries()) {
    const at = listAt + index * privilegeBytes;
    privilege.copy(list, at);
    list.writeUInt32LE(SE_PRIVILEGE_REMOVED, at + attributesAt);
  }
  orThrow('AdjustTokenPrivileges', native.adjust(token, 0, list, list.length, null, null));
  if (privileges().length > 0) throw new CallFailed('AdjustTokenPrivileges', lastError());

  const sid = sidBytes(lowIntegrity);
  const label = steadyMemory(sizeOf(TOKEN_MANDATORY_LABEL));
  label.writeBigUInt64LE(addressOf(sid), sidAt);
  label.writeUInt32LE(SE_GROUP_INTEGRITY, placeOf(TOKEN_MANDATORY_LABEL, 'Attributes'));
  orThrow('SetTokenInformation', native.set(token, TokenIntegrityLevel, label, label.length));
  const found = read(TokenIntegrityLevel);
  const level = readSid(found, Number(found.readBigUInt64LE(sidAt) - addressOf(found)));
  return level === lowIntegrity ? [] : [`this system keeps the integrity level ${level}`];
}
