import { readSid, type Sid } from '#node/os/windows/security-identifier.ts';
import {
  ACCESS_ALLOWED_ACE,
  ACL,
  SECURITY_DESCRIPTOR_RELATIVE,
} from '#node/os/windows/security-structures.ts';
import { placeOf, sizeOf } from '#node/os/windows/structure.ts';

/** <winnt.h>. */
export const accessConstants = {
  SE_DACL_PRESENT: 0x4,
  ACCESS_ALLOWED_ACE_TYPE: 0,
  ACCESS_DENIED_ACE_TYPE: 1,
} as const;

/** The owner of an object, and everybody who has access to it. */
export interface Access {
  owner: Sid;
  /** `unknown`: everybody, or those of an entry that is not understood. */
  allowed: readonly Sid[] | 'unknown';
}

const inDescriptor = {
  control: placeOf(SECURITY_DESCRIPTOR_RELATIVE, 'Control'),
  owner: placeOf(SECURITY_DESCRIPTOR_RELATIVE, 'Owner'),
  list: placeOf(SECURITY_DESCRIPTOR_RELATIVE, 'Dacl'),
} as const;
const countInList = placeOf(ACL, 'AceCount');
const inEntry = {
  type: placeOf(ACCESS_ALLOWED_ACE, 'AceType'),
  size: placeOf(ACCESS_ALLOWED_ACE, 'AceSize'),
  sid: placeOf(ACCESS_ALLOWED_ACE, 'SidStart'),
} as const;

/** Reads a self-relative security descriptor (MS-DTYP 2.4.6) with an owner; throws `RangeError` if it is cut off. */
export function readAccess(descriptor: Buffer): Access {
  return {
    owner: readSid(descriptor, descriptor.readUInt32LE(inDescriptor.owner)),
    allowed: readAllowed(descriptor),
  };
}

/** Whether only these have access, and only these could give it to others, as an owner can. */
export const isOnlyFor = (trusted: readonly Sid[], { owner, allowed }: Access): boolean =>
  allowed !== 'unknown' && [owner, ...allowed].every((sid) => trusted.includes(sid));

function readAllowed(descriptor: Buffer): Access['allowed'] {
  const isPresent = (descriptor.readUInt16LE(inDescriptor.control) & accessConstants.SE_DACL_PRESENT) !== 0;
  const listAt = descriptor.readUInt32LE(inDescriptor.list);
  // Without a list, everybody has full access; with an empty one, nobody has access.
  if (!isPresent || listAt === 0) return 'unknown';
  const allowed = new Set<Sid>();
  let at = listAt + sizeOf(ACL);
  for (let left = descriptor.readUInt16LE(listAt + countInList); left > 0; left -= 1) {
    switch (descriptor.readUInt8(at + inEntry.type)) {
      case accessConstants.ACCESS_ALLOWED_ACE_TYPE:
        allowed.add(readSid(descriptor, at + inEntry.sid));
        break;
      case accessConstants.ACCESS_DENIED_ACE_TYPE:
        break;
      default:
        return 'unknown';
    }
    at += descriptor.readUInt16LE(at + inEntry.size);
  }
  return [...allowed];
}
