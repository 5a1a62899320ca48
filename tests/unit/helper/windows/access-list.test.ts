import { expect, test } from 'vitest';
import { sidBytes, wellKnownSids, type Sid } from '#node/os/windows/security-identifier.ts';
import { isOnlyFor, readAccess } from '../../../../helper/windows/access-list.ts';

const { system, administrators, interactive } = wellKnownSids;
const everyone: Sid = 'S-1-1-0';
const trusted = [system, administrators];
const [allow, deny, allowForObject] = [0, 1, 5];

const packed = (sid: Sid) => sidBytes(sid).subarray(0, 8 + 4 * (sid.split('-').length - 3));

function entry(type: number, sid: Sid): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt8(type, 0);
  head.writeUInt16LE(head.length + packed(sid).length, 2);
  head.writeUInt32LE(0x1f_01ff, 4);
  return Buffer.concat([head, packed(sid)]);
}

/** A self-relative security descriptor (MS-DTYP 2.4.6); `entries` undefined: without a list. */
function descriptorOf(owner: Sid, entries: readonly Buffer[] | undefined): Buffer {
  const head = Buffer.alloc(20);
  const [ownerAt, listAt] = [head.length, head.length + packed(owner).length];
  head.writeUInt8(1, 0);
  // SE_SELF_RELATIVE, and SE_DACL_PRESENT.
  head.writeUInt16LE(0x8000 | (entries ? 0x4 : 0), 2);
  head.writeUInt32LE(ownerAt, 4);
  if (!entries) return Buffer.concat([head, packed(owner)]);
  head.writeUInt32LE(listAt, 16);
  const list = Buffer.alloc(8);
  list.writeUInt8(2, 0);
  list.writeUInt16LE(8 + Buffer.concat(entries).length, 2);
  list.writeUInt16LE(entries.length, 4);
  return Buffer.concat([head, packed(owner), list, ...entries]);
}

const isOurs = (descriptor: Buffer) => isOnlyFor(trusted, readAccess(descriptor));

test('a file of the system is private if only the system and administrators have access', () => {
  const descriptor = descriptorOf(system, [entry(allow, system), entry(allow, administrators)]);
  expect(readAccess(descriptor)).toEqual({ owner: system, allowed: [system, administrators] });
  expect(isOurs(descriptor)).toBe(true);
  expect(isOurs(descriptorOf(administrators, [entry(deny, everyone), entry(allow, system)]))).toBe(true);
  expect(isOurs(descriptorOf(system, []))).toBe(true);
});

test.each<[string, Buffer]>([
  ['somebody else owns', descriptorOf('S-1-5-21-1-2-3-1001', [entry(allow, system)])],
  ['everybody may open', descriptorOf(system, [entry(allow, system), entry(allow, everyone)])],
  ['one who has signed in may open', descriptorOf(system, [entry(allow, interactive)])],
  ['has no list, so that everybody may open it', descriptorOf(system, undefined)],
  ['has an entry of a kind that is not understood', descriptorOf(system, [entry(allowForObject, system)])],
])('a file that %s is not private', (_, descriptor) => {
  expect(isOurs(descriptor)).toBe(false);
});

test('a list without its place means that everybody has access', () => {
  const descriptor = descriptorOf(system, []);
  descriptor.writeUInt32LE(0, 16);
  expect(isOurs(descriptor)).toBe(false);
});

test('a descriptor that is cut off is refused', () => {
  const descriptor = descriptorOf(system, [entry(allow, system)]);
  expect(() => readAccess(descriptor.subarray(0, -1))).toThrow(RangeError);
  expect(() => readAccess(descriptor.subarray(0, 12))).toThrow(RangeError);
});
