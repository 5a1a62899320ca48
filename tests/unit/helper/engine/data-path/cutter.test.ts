import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCutter } from '../../../../../helper/engine/own/data-path/cutter.ts';
import { emptyExtension, largePacket, packet, segments, type PacketShape } from '../support/packets.ts';

/** Cuts what is given; undefined if it cannot be cut. Memory around what is written has to stay as it was. */
function cut(given: Buffer, offset = 0): Buffer[] | undefined {
  const bytes = new Uint8Array(2 * given.length + 1_024).fill(0xee);
  const at = 64 + offset;
  const to = given.length + 512 + offset;
  bytes.set(given, at);
  const cutter = createCutter(bytes, new DataView(bytes.buffer));
  if (!cutter.begin(at, given.length)) return undefined;
  const made: Buffer[] = [];
  for (let length = cutter.next(to); length > 0; length = cutter.next(to)) {
    if (length > cutter.largest) expect.fail(`${length} bytes`);
    const around = [bytes[to - 1], bytes[to + length], bytes[at - 1], bytes[at + given.length]];
    if (around.some((byte) => byte !== 0xee)) expect.fail(`written around ${length} bytes`);
    made.push(Buffer.from(bytes.subarray(to, to + length)));
    bytes.fill(0xee, to, to + length);
  }
  return made;
}

const shapes = fc.record({
  version: fc.constantFrom<4 | 6>(4, 6),
  transport: fc.constantFrom<'tcp' | 'udp'>('tcp', 'udp'),
  payload: fc.uint8Array({ minLength: 1, maxLength: 3_000, size: 'max' }),
  sequence: fc.nat(0xffff_ffff),
  id: fc.nat(0xffff),
  flags: fc.nat(255).map((flags) => flags | 0x10),
  words: fc.nat(10),
  hasIpOptions: fc.boolean(),
});
type Drawn = Parameters<typeof shape>[0];

function shape(drawn: {
  version: 4 | 6;
  transport: 'tcp' | 'udp';
  payload: Uint8Array;
  sequence: number;
  id: number;
  flags: number;
  words: number;
  hasIpOptions: boolean;
}): PacketShape {
  const { words, hasIpOptions, ...rest } = drawn;
  const options = drawn.version === 4 ? Buffer.alloc(8, 1) : emptyExtension(drawn.transport);
  return {
    ...rest,
    tcpOptions: Buffer.alloc(drawn.transport === 'tcp' ? 4 * words : 0, 1),
    ...(hasIpOptions && { ipOptions: options }),
  };
}

test('cuts into what would have been sent one by one, at any place in memory', () => {
  fc.assert(
    fc.property(shapes, fc.integer({ min: 40, max: 1_448 }), fc.nat(7), (drawn: Drawn, size, offset) => {
      const given = shape(drawn);
      expect(cut(largePacket(given, size), offset)).toEqual(segments(given, size));
    }),
    { numRuns: 60 },
  );
});

test('the largest packet there is', () => {
  const given: PacketShape = { version: 6, transport: 'tcp', payload: Buffer.alloc(65_435, 0xff) };
  expect(cut(largePacket(given, 1_220))).toEqual(segments(given, 1_220));
});

test('completes the checksum of a packet that is whole', () => {
  fc.assert(
    fc.property(shapes, (drawn: Drawn) => {
      const given = shape({ ...drawn, payload: drawn.payload.subarray(0, 1_400) });
      expect(cut(largePacket(given, 0))).toEqual([packet(given)]);
    }),
    { numRuns: 50 },
  );
});

test('a checksum of UDP that comes to 0 is sent as its complement', () => {
  // The last two bytes make it so.
  const payload = Buffer.from('0000', 'hex');
  const without = packet({ version: 4, transport: 'udp', payload }).readUInt16BE(26);
  payload.writeUInt16BE(without);
  const given: PacketShape = { version: 4, transport: 'udp', payload };
  expect(packet(given).readUInt16BE(26)).toBe(0xffff);
  expect(cut(largePacket(given, 0))).toEqual([packet(given)]);
  expect(cut(largePacket(given, 2))).toEqual([packet(given)]);
});

test('a packet that needs nothing is left alone', () => {
  const whole = Buffer.from('45000000fragments and more', 'latin1');
  expect(cut(Buffer.concat([Buffer.alloc(10), whole]))).toEqual([whole]);
});

describe('what cannot be cut is refused', () => {
  const good = largePacket({ version: 4, transport: 'tcp', payload: Buffer.alloc(3_000) }, 1_000);
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(good);
    change(bytes);
    return bytes;
  };
  test.each<[string, Buffer]>([
    ['less than a header', good.subarray(0, 20)],
    ['an IP header alone', good.subarray(0, 30)],
    ['headers alone', good.subarray(0, 50)],
    ['pieces of nothing', changed((bytes) => bytes.writeUInt16LE(0, 4))],
    ['an unknown kind', changed((bytes) => (bytes[1] = 3))],
    ['the kind of another version', changed((bytes) => (bytes[1] = 4))],
    ['no checksum to complete', changed((bytes) => (bytes[0] = 0))],
    ['a transport inside of the IP header', changed((bytes) => bytes.writeUInt16LE(16, 6))],
    ['a transport beyond the end', changed((bytes) => bytes.writeUInt16LE(3_040, 6))],
    ['the checksum of another transport', changed((bytes) => bytes.writeUInt16LE(6, 8))],
    ['a TCP header that is too short', changed((bytes) => (bytes[10 + 20 + 12] = 0x40))],
    ['an IP header that is too short', changed((bytes) => (bytes[10] = 0x44))],
  ])('%s', (_what, bytes) => {
    expect(cut(good)).toHaveLength(3);
    expect(cut(bytes)).toBeUndefined();
  });

  test('a checksum beyond the end of a whole packet', () => {
    const whole = largePacket({ version: 4, transport: 'tcp', payload: Buffer.alloc(10) }, 0);
    whole.writeUInt16LE(60, 6);
    expect(cut(whole)).toBeUndefined();
  });
});

test('any bytes at all: nothing is written elsewhere, and nothing is longer than it may be', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ minLength: 10, maxLength: 10 }),
      (body, header) => {
        const usual = [
          header[0] ?? 0,
          [0, 1, 4, 5][(header[1] ?? 0) & 3] ?? 0,
          0,
          0,
          (header[4] ?? 0) & 63,
          0,
          (header[6] ?? 0) & 63,
          0,
          (header[8] ?? 0) & 1 ? 16 : 6,
          0,
        ];
        for (const start of [header, Uint8Array.from(usual)]) cut(Buffer.concat([start, body]));
      },
    ),
    { numRuns: 500 },
  );
});
