import { CallFailed, lastError } from './last-error.ts';
import { changed, loadLibrary, steadyMemory } from './native-library.ts';
import { SID } from './security-structures.ts';
import { placeOf } from './structure.ts';

/** Identifies an account or a group: `S-1-5-…` (MS-DTYP 2.4.2.1). */
export type Sid = `S-1-${string}`;

/** MS-DTYP 2.4.2.4. */
export const wellKnownSids = {
  system: 'S-1-5-18',
  /** The account of services that need no rights. */
  localService: 'S-1-5-19',
  administrators: 'S-1-5-32-544',
  /** Everybody who has signed in at this computer, also by Remote Desktop, but not over the network. */
  interactive: 'S-1-5-4',
} as const satisfies Record<string, Sid>;

/** <winnt.h>, <winerror.h>. */
export const identifierConstants = {
  SID_REVISION: 1,
  SID_MAX_SUB_AUTHORITIES: 15,
  ERROR_NONE_MAPPED: 1332,
} as const;
const { SID_REVISION, SID_MAX_SUB_AUTHORITIES: maxParts, ERROR_NONE_MAPPED } = identifierConstants;
const countAt = placeOf(SID, 'SubAuthorityCount');
const authorityAt = placeOf(SID, 'IdentifierAuthority');
const headBytes = placeOf(SID, 'SubAuthority');

export const isSid = (text: string): text is Sid => /^S-1-\d{1,14}(?:-\d{1,10}){1,15}$/.test(text);

/** Reads what MS-DTYP 2.4.2.2 calls a packet; throws if it is none. */
export function readSid(bytes: Uint8Array, at: number): Sid {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint8(at + countAt);
  if (view.getUint8(at) !== SID_REVISION || count > maxParts)
    throw new TypeError('not a security identifier');
  const authority = view.getUint16(at + authorityAt) * 2 ** 32 + view.getUint32(at + authorityAt + 2);
  const parts = Array.from({ length: count }, (_, index) => view.getUint32(at + headBytes + 4 * index, true));
  return `S-1-${[authority, ...parts].join('-')}`;
}

/** In memory that a call can be given. Throws if the text is none. */
export function sidBytes(text: string): Buffer {
  if (!isSid(text)) throw new TypeError(`${text} is not a security identifier`);
  const [authority = 0, ...parts] = text.split('-').slice(2).map(Number);
  const bytes = steadyMemory(headBytes + 4 * maxParts);
  bytes[0] = SID_REVISION;
  bytes[countAt] = parts.length;
  bytes.writeUIntBE(authority, authorityAt, 6);
  for (const [index, part] of parts.entries()) bytes.writeUInt32LE(part, headBytes + 4 * index);
  return bytes;
}

/** The account or group with that name; undefined if there is none. */
export function findAccount(name: string): Sid | undefined {
  const lookUp = loadLibrary('advapi32.dll').bind('LookupAccountNameW', 'int', [
    'void *',
    'str16',
    'void *',
    changed('uint32'),
    'void *',
    changed('uint32'),
    changed('int'),
  ]);
  const sid = steadyMemory(headBytes + 4 * maxParts);
  const domain = steadyMemory(1_024);
  const characters = domain.length / 2;
  if (Number(lookUp(null, name, sid, [sid.length], domain, [characters], [0])) !== 0) return readSid(sid, 0);
  const code = lastError();
  if (code === ERROR_NONE_MAPPED) return undefined;
  throw new CallFailed('LookupAccountNameW', code);
}
