import { readSid, type Sid } from '#node/os/windows/security-identifier.ts';

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

const aclHeadBytes = 8;
/** ACE_HEADER, and the rights. */
const entryHeadBytes = 8;

/** Reads a self-relative security descriptor (MS-DTYP 2.4.6) with an owner; throws `RangeError` if it is cut off. */
export function readAccess(descriptor: Buffer): Access {
  return { owner: readSid(descriptor, descriptor.readUInt32LE(4)), allowed: readAllowed(descriptor) };
}

/** Whether only these have access, and only these could give it to others, as an owner can. */
export const isOnlyFor = (trusted: readonly Sid[], { owner, allowed }: Access): boolean =>
  allowed !== 'unknown' && [owner, ...allowed].every((sid) => trusted.includes(sid));

function readAllowed(descriptor: Buffer): Access['allowed'] {
  const isPresent = (descriptor.readUInt16LE(2) & accessConstants.SE_DACL_PRESENT) !== 0;
  const listAt = descriptor.readUInt32LE(16);
  // Without a list, everybody has full access; with an empty one, nobody has access.
  if (!isPresent || listAt === 0) return 'unknown';
  const allowed = new Set<Sid>();
  let at = listAt + aclHeadBytes;
  for (let left = descriptor.readUInt16LE(listAt + 4); left > 0; left -= 1) {
    switch (descriptor.readUInt8(at)) {
      case accessConstants.ACCESS_ALLOWED_ACE_TYPE:
        allowed.add(readSid(descriptor, at + entryHeadBytes));
        break;
      case accessConstants.ACCESS_DENIED_ACE_TYPE:
        break;
      default:
        return 'unknown';
    }
    at += descriptor.readUInt16LE(at + 2);
  }
  return [...allowed];
}
