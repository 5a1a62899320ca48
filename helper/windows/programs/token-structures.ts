import koffi from 'koffi';
import { structure } from '#node/os/windows/structure.ts';

/** Structures of <winnt.h>. Addresses are numbers. */

/** A privilege, which two numbers name. */
export const LUID_AND_ATTRIBUTES = structure(
  'LUID_AND_ATTRIBUTES',
  { LowPart: 'uint32', HighPart: 'int32', Attributes: 'uint32' },
  { LowPart: 'Luid.LowPart', HighPart: 'Luid.HighPart' },
);

export const TOKEN_PRIVILEGES = structure('TOKEN_PRIVILEGES', {
  PrivilegeCount: 'uint32',
  Privileges: koffi.array(LUID_AND_ATTRIBUTES.type, 1),
});

export const TOKEN_MANDATORY_LABEL = structure(
  'TOKEN_MANDATORY_LABEL',
  { Sid: 'uintptr', Attributes: 'uint32' },
  { Sid: 'Label.Sid', Attributes: 'Label.Attributes' },
);
