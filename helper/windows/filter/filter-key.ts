import { createHash } from 'node:crypto';
import { guidOfBytes, type Guid } from '../calls/guid.ts';
import type { Filter } from '../calls/filtering.ts';

/**
 * The key of a filter is the digest of all that it says, in the form of a GUID that everybody may make up (RFC 9562 §5.8):
 * the same filter has the same key in every run, and one that is there need not be read again.
 */
export function withKey(filter: Omit<Filter, 'key'>): Filter {
  return { ...filter, key: keyOf(filter) };
}

function keyOf(filter: Omit<Filter, 'key'>): Guid {
  const text = JSON.stringify(filter, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  // Of the third part, and of the first two bytes in their own order, the highest bits are version and variant.
  bytes.writeUInt8((bytes.readUInt8(7) & 0x0f) | 0x80, 7);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return guidOfBytes(bytes);
}
