import { CallFailed, lastError } from './last-error.ts';
import { changed, loadLibrary, steadyMemory } from './native-library.ts';

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

/** SID_MAX_SUB_AUTHORITIES of <winnt.h>. */
const maxParts = 15;
const headBytes = 8;

export const isSid = (text: string): text is Sid => /^S-1-\d{1,14}(?:-\d{1,10}){1,15}$/.test(text);

/** Reads what MS-DTYP 2.4.2.2 calls a packet; throws if it is none. */
export function readSid(bytes: Uint8Array, at: number): Sid {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint8(at + 1);
  if (view.getUint8(at) !== 1 || count > maxParts) throw new TypeError('not a security identifier');
  const authority = view.getUint16(at + 2) * 2 ** 32 + view.getUint32(at + 4);
  const parts = Array.from({ length: count }, (_, index) => view.getUint32(at + headBytes + 4 * index, true));
  return `S-1-${[authority, ...parts].join('-')}`;
}

/** In memory that a call can be given. Throws if the text is none. */
export function sidBytes(text: string): Buffer {
  if (!isSid(text)) throw new TypeError(`${text} is not a security identifier`);
  const [authority = 0, ...parts] = text.split('-').slice(2).map(Number);
  const bytes = steadyMemory(headBytes + 4 * maxParts);
  bytes[0] = 1;
  bytes[1] = parts.length;
  bytes.writeUIntBE(authority, 2, 6);
  for (const [index, part] of parts.entries()) bytes.writeUInt32LE(part, headBytes + 4 * index);
  return bytes;
}

/** <winerror.h>. */
const ERROR_NONE_MAPPED = 1332;

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
