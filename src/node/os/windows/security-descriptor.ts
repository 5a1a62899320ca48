import { lastError, orThrow, CallFailed } from './last-error.ts';
import { changed, loadLibrary, returned, steadyMemory } from './native-library.ts';
import { SECURITY_ATTRIBUTES, SECURITY_DESCRIPTOR_RELATIVE } from './security-structures.ts';
import { readSid, type Sid } from './security-identifier.ts';
import { placeOf, sizeOf } from './structure.ts';

/** <sddl.h>, <winnt.h>. */
export const descriptorConstants = {
  SDDL_REVISION_1: 1,
  OWNER_SECURITY_INFORMATION: 0x1,
  DACL_SECURITY_INFORMATION: 0x4,
  PROTECTED_DACL_SECURITY_INFORMATION: 0x8000_0000,
} as const;
const {
  SDDL_REVISION_1,
  OWNER_SECURITY_INFORMATION,
  DACL_SECURITY_INFORMATION,
  PROTECTED_DACL_SECURITY_INFORMATION,
} = descriptorConstants;

let calls: ReturnType<typeof load> | undefined;

function load() {
  const advapi = loadLibrary('advapi32.dll');
  return {
    read: advapi.bind('ConvertStringSecurityDescriptorToSecurityDescriptorW', 'int', [
      'str16',
      'uint32',
      returned('uintptr'),
      'void *',
    ]),
    free: loadLibrary('kernel32.dll').bind('LocalFree', 'uintptr', ['uintptr']),
    getOfFile: advapi.bind('GetFileSecurityW', 'int', [
      'str16',
      'uint32',
      'void *',
      'uint32',
      changed('uint32'),
    ]),
    setOfFile: advapi.bind('SetFileSecurityW', 'int', ['str16', 'uint32', 'uintptr']),
  };
}

/**
 * Has `make` make something to which only those have access whom `access` names, in the security descriptor definition
 * language (MS-DTYP 2.5.1). It gets its SECURITY_ATTRIBUTES.
 */
export function withAccess<Result>(access: string, make: (attributes: Buffer) => Result): Result {
  return withDescriptor(access, (descriptor) => {
    const length = sizeOf(SECURITY_ATTRIBUTES);
    const attributes = steadyMemory(length);
    attributes.writeUInt32LE(length, placeOf(SECURITY_ATTRIBUTES, 'nLength'));
    attributes.writeBigUInt64LE(descriptor, placeOf(SECURITY_ATTRIBUTES, 'lpSecurityDescriptor'));
    return make(attributes);
  });
}

/** Has `make` make something of a security descriptor, by its address. */
function withDescriptor<Result>(access: string, make: (descriptor: bigint) => Result): Result {
  const { read, free } = (calls ??= load());
  const into: unknown[] = [0];
  orThrow('ConvertStringSecurityDescriptorToSecurityDescriptorW', read(access, SDDL_REVISION_1, into, null));
  const [descriptor] = into as [number | bigint];
  try {
    return make(BigInt(descriptor));
  } finally {
    free(descriptor);
  }
}

/** Gives a file or directory that access, and none that it inherits. */
export function setFileAccess(file: string, access: string): void {
  const { setOfFile } = (calls ??= load());
  // Negative numbers are not taken for unsigned ones.
  const what = (DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION) >>> 0;
  withDescriptor(access, (descriptor) => orThrow('SetFileSecurityW', setOfFile(file, what, descriptor)));
}

/** Whose a file or directory is. */
export function fileOwner(file: string): Sid {
  const { getOfFile } = (calls ??= load());
  const descriptor = steadyMemory(1_024);
  const needed: unknown[] = [0];
  if (Number(getOfFile(file, OWNER_SECURITY_INFORMATION, descriptor, descriptor.length, needed)) === 0)
    throw new CallFailed('GetFileSecurityW', lastError());
  return readSid(descriptor, descriptor.readUInt32LE(placeOf(SECURITY_DESCRIPTOR_RELATIVE, 'Owner')));
}
