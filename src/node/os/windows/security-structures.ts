import koffi from 'koffi';
import { bytes, structure } from './structure.ts';

/** Structures of <minwinbase.h> and <winnt.h> that say who may do what. Addresses are numbers. */

export const SECURITY_ATTRIBUTES = structure('SECURITY_ATTRIBUTES', {
  nLength: 'uint32',
  lpSecurityDescriptor: 'uintptr',
  bInheritHandle: 'int',
});

/** With the places of the others in the same memory (MS-DTYP 2.4.6). */
export const SECURITY_DESCRIPTOR_RELATIVE = structure('SECURITY_DESCRIPTOR_RELATIVE', {
  Revision: 'uint8',
  Sbz1: 'uint8',
  Control: 'uint16',
  Owner: 'uint32',
  Group: 'uint32',
  Sacl: 'uint32',
  Dacl: 'uint32',
});

export const ACL = structure('ACL', {
  AclRevision: 'uint8',
  Sbz1: 'uint8',
  AclSize: 'uint16',
  AceCount: 'uint16',
  Sbz2: 'uint16',
});

/** An entry of such a list; those that deny have the same form. */
export const ACCESS_ALLOWED_ACE = structure(
  'ACCESS_ALLOWED_ACE',
  { AceType: 'uint8', AceFlags: 'uint8', AceSize: 'uint16', Mask: 'uint32', SidStart: 'uint32' },
  { AceType: 'Header.AceType', AceFlags: 'Header.AceFlags', AceSize: 'Header.AceSize' },
);

export const SID = structure('SID', {
  Revision: 'uint8',
  SubAuthorityCount: 'uint8',
  IdentifierAuthority: bytes(6),
  SubAuthority: koffi.array('uint32', 1),
});

export const TOKEN_USER = structure(
  'TOKEN_USER',
  { Sid: 'uintptr', Attributes: 'uint32' },
  { Sid: 'User.Sid', Attributes: 'User.Attributes' },
);
