import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameReader, frameOf, maxPacketBytes } from '../../../../helper/network/packet-frames.ts';

const packets = fc.array(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), { maxLength: 20 });

/** Reads a stream in pieces of these sizes, over and over. */
function readInPieces(stream: Buffer, sizes: readonly number[]): Buffer[] {
  const found: Buffer[] = [];
  const read = createFrameReader((packet) => found.push(packet));
  for (let at = 0, turn = 0; at < stream.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    read(Buffer.from(stream.subarray(at, at + size)));
    at += size;
  }
  return found;
}

describe('packets in frames', () => {
  it('are the same however the stream is cut', () => {
    fc.assert(
      fc.property(packets, fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1 }), (given, sizes) => {
        const found = readInPieces(Buffer.concat(given.map((packet) => frameOf(packet))), sizes);
        expect(found.map((packet) => Uint8Array.from(packet))).toEqual(given);
      }),
    );
  });

  it('have at least one byte, and at most as many as an IP packet', () => {
    const largest = Buffer.alloc(maxPacketBytes, 7);
    expect(readInPieces(frameOf(largest), [40_000])).toEqual([largest]);
    expect(() => frameOf(Buffer.alloc(maxPacketBytes + 1))).toThrow(RangeError);
    expect(() => frameOf(Buffer.alloc(0))).toThrow(RangeError);
  });

  it('are refused if one of them has no bytes', () => {
    expect(() => readInPieces(Buffer.from([0, 0, 1]), [3])).toThrow(RangeError);
  });
});
