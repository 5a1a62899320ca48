import { CallFailed, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { addressOf, changed, loadLibrary, returned, steadyMemory } from '#node/os/windows/native-library.ts';
import { readSid, sidBytes } from '#node/os/windows/security-identifier.ts';

/** <winnt.h>. */
const TOKEN_QUERY = 0x8;
const TOKEN_ADJUST_PRIVILEGES = 0x20;
const TOKEN_ADJUST_DEFAULT = 0x80;
const TokenPrivileges = 3;
const TokenIntegrityLevel = 25;
const SE_PRIVILEGE_REMOVED = 0x4;
const SE_GROUP_INTEGRITY = 0x20;
const currentProcess = -1;
/** LUID_AND_ATTRIBUTES: two numbers that name the privilege, and one of flags. */
const privilegeBytes = 12;
/** To pass directories on the way to a file, which everybody has (SE_CHANGE_NOTIFY_PRIVILEGE). */
const changeNotify = 23;
/** SECURITY_MANDATORY_LOW_RID: writes to nothing that others have not opened for such processes. */
const lowIntegrity = 'S-1-16-4096';

/**
 * Gives up for good what this process may do beyond what everybody may: its privileges, and the right to write to what
 * others have. Returns what this system does not support; throws if something is left that it does. The process stays its
 * user's, and can read what that may read.
 */
export function dropRights(): string[] {
  const advapi = loadLibrary('advapi32.dll');
  const native = {
    open: advapi.bind('OpenProcessToken', 'int', ['intptr', 'uint32', returned('intptr')]),
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
    close: loadLibrary('kernel32.dll').bind('CloseHandle', 'int', ['intptr']),
  };
  const into: unknown[] = [0];
  const rights = TOKEN_QUERY | TOKEN_ADJUST_PRIVILEGES | TOKEN_ADJUST_DEFAULT;
  orThrow('OpenProcessToken', native.open(currentProcess, rights, into));
  const token = Number(into[0]);
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
  try {
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
    return level === lowIntegrity ? [] : [`this system keeps the engine at the integrity level ${level}`];
  } finally {
    native.close(token);
  }
}
