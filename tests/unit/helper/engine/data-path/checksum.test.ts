import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sumOf, swapped, without } from '../../../../../helper/engine/own/data-path/checksum.ts';
import { plainChecksum } from '../support/packets.ts';

test('the checksum of any bytes at any place is that of RFC 1071', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(7), (bytes, offset) => {
      const all = new Uint8Array(bytes.length + 16).fill(0xee);
      all.set(bytes, offset);
      // Bytes of all ones, whose sum has two forms, never come alone in a packet.
      const sum = sumOf(new DataView(all.buffer), offset, bytes.length);
      expect(swapped(without(sum)) % 0xffff).toBe(plainChecksum(bytes) % 0xffff);
    }),
    { numRuns: 300 },
  );
});

test('the largest packet of the largest bytes', () => {
  const all = new Uint8Array(65_536).fill(0xff);
  for (const start of [0, 1, 2, 3]) expect(sumOf(new DataView(all.buffer), start, 65_532)).toBe(0xffff);
});
