import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createArena } from '../../../../../helper/engine/own/data-path/arena.ts';
import { createCutter } from '../../../../../helper/engine/own/data-path/cutter.ts';
import { createJoiner } from '../../../../../helper/engine/own/data-path/joiner.ts';
import { emptyExtension, packet, type PacketShape } from '../support/packets.ts';

/** What is written for these packets, `''` for a flush. */
function join(given: readonly (Buffer | '')[]): Buffer[] {
  const arena = createArena(1024 * 1024);
  const place = arena.take(4_096);
  const written: Buffer[] = [];
  const joiner = createJoiner(arena, (at, length) =>
    written.push(Buffer.from(arena.bytes.subarray(at, at + length))),
  );
  for (const [index, one] of given.entries()) {
    if (one === '') {
      joiner.flush();
      continue;
    }
    const at = place + 32 + (index % 8);
    arena.bytes.set(one, at);
    joiner.add(at, one.length);
    arena.bytes.fill(0xdd, place, place + 4_096);
  }
  joiner.flush();
  return written;
}

/** What the kernel makes of it where nobody takes large packets. */
function apart(written: readonly Buffer[]): Buffer[] {
  return written.flatMap((one) => {
    const bytes = new Uint8Array(192 * 1024);
    bytes.set(one, 64);
    const cutter = createCutter(bytes, new DataView(bytes.buffer));
    if (!cutter.begin(64, one.length)) throw new Error('it cannot be cut');
    const made: Buffer[] = [];
    for (let length = cutter.next(100_000); length > 0; length = cutter.next(100_000))
      made.push(Buffer.from(bytes.subarray(100_000, 100_000 + length)));
    return made;
  });
}

/** Addresses and ports of a packet that is none of the odd ones. */
const flowOf = (bytes: Buffer) =>
  bytes[0] === 0x45 && bytes.length >= 40
    ? bytes.subarray(12, 24).toString('hex') + (bytes[9] ?? 0)
    : (bytes[0] ?? 0) >> 4 === 6 && bytes.length >= 60
      ? bytes.subarray(8, 44).toString('hex') + (bytes[6] ?? 0)
      : 'odd';

const isJoined = (one: Buffer) => one[1] !== 0;

/** Packets of one flow after the other, of `sizes`, as a sender makes them. */
function stream(
  version: 4 | 6,
  flow: number,
  sizes: readonly number[],
  more: Partial<PacketShape> = {},
): Buffer[] {
  let sequence = 0xffff_f000;
  return sizes.map((size, index) => {
    const made = packet({
      version,
      transport: 'tcp',
      flow,
      payload: Buffer.alloc(size, index + 1),
      sequence,
      id: index,
      ...more,
    });
    sequence += size;
    return made;
  });
}

test.each([4, 6] as const)('segments that follow each other become one packet (IPv%d)', (version) => {
  const given = stream(version, 1, [1_000, 1_000, 1_000, 400]);
  const written = join(given);
  expect(written).toHaveLength(1);
  expect(apart(written)).toEqual(given);
});

test('packets of two connections at once are joined by connection', () => {
  const given = [4, 6].flatMap((version) => stream(version as 4 | 6, version, [500, 500, 500]));
  const mixed = [0, 3, 1, 4, 2, 5].map((index) => given[index] ?? Buffer.alloc(0));
  expect(join(mixed).filter(isJoined)).toHaveLength(2);
});

test('a packet is never larger than one can be', () => {
  const given = stream(
    4,
    1,
    Array.from({ length: 100 }, () => 1_400),
  );
  const written = join(given);
  expect(written.map(({ length }) => length - 10).every((length) => length <= 65_535)).toBe(true);
  expect(written).toHaveLength(3);
  expect(apart(written).map((one) => one.subarray(20))).toEqual(given.map((one) => one.subarray(20)));
});

const [first, second] = stream(4, 1, [500, 500]);
const [, six] = stream(6, 1, [500, 500]);
if (!first || !second || !six) throw new Error('no packets');
const changed = (bytes: Buffer, at: number, value: number) => {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
};
const after = (more: Partial<PacketShape>, payload = Buffer.alloc(500, 2)) =>
  packet({ version: 4, transport: 'tcp', flow: 1, payload, sequence: 0xffff_f000 + 500, id: 1, ...more });

test.each<[string, Buffer]>([
  ['a gap', after({ sequence: 0xffff_f000 + 501 })],
  ['what comes again', first],
  ['another acknowledgement', after({ acknowledgement: 2 })],
  ['other options', after({ tcpOptions: Buffer.alloc(12, 1) })],
  ['a larger segment', after({}, Buffer.alloc(501))],
  ['no payload', after({}, Buffer.alloc(0))],
  ['a wrong checksum', changed(second, 45, 9)],
  ['a wrong checksum of IP', changed(second, 8, 9)],
  ['an end', after({ flags: 0x11 })],
  ['a reset', after({ flags: 0x14 })],
  ['a beginning', after({ flags: 0x12 })],
  ['urgent data', after({ flags: 0x30 })],
  ['an echo of congestion', after({ flags: 0x50 })],
  ['no acknowledgement', after({ flags: 0 })],
  ['options of IP', after({ ipOptions: Buffer.alloc(8, 1) })],
  ['bytes after its end', Buffer.concat([second, Buffer.alloc(1)])],
  ['a packet that is cut', second.subarray(0, 100)],
  ['a TCP header that is cut', second.subarray(0, 39)],
  ['a TCP header that is longer than the packet', changed(second, 32, 0xf0).subarray(0, 50)],
  ['a TCP header that is too short', changed(second, 32, 0x40)],
  ['a first fragment', changed(second, 6, 0x60)],
  ['a later fragment', changed(second, 7, 0x01)],
  ['one that may become fragments', changed(second, 6, 0)],
  ['IPv6', six],
  [
    'IPv6 with an extension',
    packet({ version: 6, transport: 'tcp', payload: Buffer.alloc(9), ipOptions: emptyExtension('tcp') }),
  ],
  ['UDP', packet({ version: 4, transport: 'udp', payload: Buffer.alloc(500) })],
  ['nothing that is known', Buffer.from('what is this')],
  ['a byte', Buffer.from([0x45])],
])('%s is not joined, nor changed', (_what, odd) => {
  const written = join([first, odd]);
  expect(written.filter(isJoined)).toEqual([]);
  const bodies = written.map((one) => one.subarray(10));
  const expected = [first, odd];
  // What may be of the same connection stays behind it.
  const mayBeSame = flowOf(odd) === flowOf(first) || (flowOf(odd) === 'odd' && odd.length >= 20);
  expect(bodies).toEqual(mayBeSame ? expected : expect.arrayContaining(expected));
});

test('random flows, with odd packets between: each arrives as it was, in the order of its flow', () => {
  const step = fc.record({
    flow: fc.nat(11),
    version: fc.constantFrom<4 | 6>(4, 6),
    size: fc.integer({ min: 1, max: 40 }),
    does: fc.constantFrom(
      'data',
      'data',
      'data',
      'data',
      'push',
      'pure',
      'fin',
      'udp',
      'corrupt',
      'gap',
      'flush',
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const sequences = new Map<string, { sequence: number; id: number }>();
      const given: (Buffer | '')[] = steps.map(({ flow, version, size, does }) => {
        if (does === 'flush') return '';
        const name = `${version} ${flow}`;
        const state = sequences.get(name) ?? { sequence: 0xffff_fff0, id: 0xfff8 };
        sequences.set(name, state);
        if (does === 'gap') state.sequence += 7;
        const flags = does === 'push' ? 0x18 : does === 'fin' ? 0x11 : 0x10;
        const payload = Buffer.alloc(does === 'pure' ? 0 : size > 20 ? 40 : size, size);
        const made = packet({
          version,
          transport: does === 'udp' ? 'udp' : 'tcp',
          flow,
          payload,
          sequence: state.sequence,
          id: state.id & 0xffff,
          flags,
        });
        if (does !== 'udp') {
          state.sequence += payload.length;
          state.id += 1;
        }
        if (does === 'corrupt') made[made.length - 1] = (made.at(-1) ?? 0) ^ 0x10;
        return made;
      });
      const packets = given.filter((one) => one !== '');
      const arrived = apart(join(given));
      const byFlow = (all: readonly Buffer[]) => Map.groupBy(all, flowOf);
      expect(arrived).toHaveLength(packets.length);
      const expected = byFlow(packets);
      for (const [flow, ones] of byFlow(arrived)) expect(ones).toEqual(expected.get(flow));
    }),
    { numRuns: 150 },
  );
});
