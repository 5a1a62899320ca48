import { createHash } from 'node:crypto';
import type { Filter, FilterCondition } from '../calls/filtering.ts';
import { guidOfBytes, type Guid } from '#node/os/windows/guid.ts';

/**
 * The key of a filter is the digest of all that it says, in the form of a GUID that everybody may make up (RFC 9562
 * §5.8): the same filter has the same key in every run, and one that is there need not be read again.
 */
export function withKey(filter: Omit<Filter, 'key'>): Filter {
  return { ...filter, key: keyOf(filter) };
}

function keyOf({ conditions, ...rest }: Omit<Filter, 'key'>): Guid {
  const bytes = digest(JSON.stringify(rest) + digestOf(conditions)).subarray(0, 16);
  // Version and variant, the former in the higher byte of the third part, which comes second.
  bytes.writeUInt8((bytes.readUInt8(7) & 0x0f) | 0x80, 7);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return guidOfBytes(bytes);
}

/** Several filters share their conditions, of which a list has a hundred thousand. */
const known = new WeakMap<readonly FilterCondition[], string>();

function digestOf(conditions: readonly FilterCondition[]): string {
  const found = known.get(conditions);
  if (found !== undefined) return found;
  const text = conditions.map((one) => Object.values(one).join(' ')).join('\n');
  const made = digest(text).toString('hex');
  known.set(conditions, made);
  return made;
}

const digest = (text: string) => createHash('sha256').update(text).digest();
