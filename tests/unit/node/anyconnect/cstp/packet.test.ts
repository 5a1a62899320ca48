import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPacketReader, framePacket, maxPayload, packetKind } from '#node/anyconnect/cstp/packet.ts';

type Read = [kind: number, payload: string];

function readAll(pieces: readonly Buffer[]) {
  const reader = createPacketReader();
  const packets: Read[] = [];
  let fault: string | undefined;
  for (const piece of pieces)
    fault = reader.read(piece, (kind, payload) => packets.push([kind, payload.toString('hex')]));
  return { packets, fault };
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [
    0,
    ...at.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

const payloads = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const kinds = fc.constantFrom(...Object.values(packetKind).filter((kind) => kind !== packetKind.compressed));

test('packets are framed as the draft says', () => {
  expect(framePacket(packetKind.dpdRequest, Buffer.from('ab')).toString('hex')).toBe('53544601000203006162');
});

test('packets are read as they were framed, however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(kinds, payloads), { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      (sent, places) => {
        const stream = Buffer.concat(sent.map(([kind, payload]) => framePacket(kind, payload)));
        expect(readAll(cut(stream, places))).toEqual({
          packets: sent.map(([kind, payload]) => [kind, payload.toString('hex')]),
          fault: undefined,
        });
      },
    ),
  );
});

test('the longest payload is read, a longer one is not', () => {
  const longest = framePacket(packetKind.data, Buffer.alloc(maxPayload, 1));
  expect(readAll([longest]).packets).toHaveLength(1);
  const header = Buffer.from(longest.subarray(0, 8));
  header.writeUInt16BE(maxPayload + 1, 4);
  expect(readAll([header])).toEqual({ packets: [], fault: 'a packet that is too long' });
  expect(() => framePacket(packetKind.data, Buffer.alloc(maxPayload + 1))).toThrow('a payload of');
});

test.each([
  ['a compressed packet', '53544601000108007a', 'a compressed packet'],
  ['other first bytes', '48545450000100002f', 'not a packet'],
  ['another version', '53544602000100002f', 'not a packet'],
  ['another last byte', '53544601000100012f', 'not a packet'],
])('%s ends the stream, and what was before it is read', (_what, hex, fault) => {
  const first = framePacket(packetKind.data, Buffer.from([1]));
  expect(readAll([Buffer.concat([first, Buffer.from(hex, 'hex')]), first])).toEqual({
    packets: [[0, '01']],
    fault,
  });
});

test('any bytes are read without an exception, and nothing is kept after a fault', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 }), (pieces) => {
      const reader = createPacketReader();
      let fault: string | undefined;
      for (const piece of pieces) {
        const now = reader.read(Buffer.from(piece), () => expect(fault).toBeUndefined());
        if (fault !== undefined) expect(now).toBe(fault);
        fault = now;
      }
    }),
    { numRuns: 500 },
  );
});
