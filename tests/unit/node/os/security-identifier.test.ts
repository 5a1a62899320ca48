import { describe, expect, it } from 'vitest';
import {
  isSid,
  readSid,
  sidBytes,
  wellKnownSids,
} from '../../../../src/node/os/windows/security-identifier.ts';

describe('security identifiers of Windows', () => {
  it('have the bytes that MS-DTYP specifies', () => {
    // BUILTIN\Administrators, as Microsoft's documentation of the packet has it.
    expect(sidBytes(wellKnownSids.administrators).subarray(0, 16).toString('hex')).toBe(
      '01020000000000052000000020020000',
    );
  });

  it.each([...Object.values(wellKnownSids), 'S-1-5-21-4294967295-1-2-1001', 'S-1-1-0'])(
    'are the same after %s was written and read',
    (sid) => expect(readSid(sidBytes(sid), 0)).toBe(sid),
  );

  it.each(['', 'S-1-5', 'S-2-5-18', 'S-1-5-18-', 'Everyone', `S-1-5${'-1'.repeat(16)}`])(
    'are refused if they are invalid: %o',
    (text) => {
      expect(isSid(text)).toBe(false);
      expect(() => sidBytes(text)).toThrow(TypeError);
    },
  );

  it('are refused with more parts than there can be', () => {
    const bytes = Buffer.alloc(100);
    bytes.set([1, 16]);
    expect(() => readSid(bytes, 0)).toThrow(TypeError);
  });
});
