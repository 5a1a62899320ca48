import { expect, test } from 'vitest';
import { createFirstHop } from '../../../../../helper/engine/own/tunnel/first-hop-probe.ts';
import { plainChecksum } from '../support/packets.ts';

const own = '10.9.0.7';

/** A packet of ICMP from a router to this machine. */
function icmp(type: number, rest: Buffer, { version = 4, protocol = 1, options = 0 } = {}): Buffer {
  const header = Buffer.alloc(20 + options);
  header[0] = 16 * version + header.length / 4;
  header[8] = 64;
  header[9] = protocol;
  return Buffer.concat([header, Buffer.from([type, 0, 0, 0]), rest]);
}

/** An error about a packet: four bytes that say nothing, and what is quoted of it. */
const about = (type: number, packet: Buffer, shape = {}) =>
  icmp(type, Buffer.concat([Buffer.alloc(4), packet]), shape);

test('a question is a well-formed echo request that may travel no further than one hop', () => {
  const { packet } = createFirstHop().ask(own);
  expect(packet).toHaveLength(28);
  expect([packet.readUInt16BE(2), packet[8], packet[9]]).toEqual([28, 1, 1]);
  expect([...packet.subarray(12, 16)]).toEqual([10, 9, 0, 7]);
  expect([...packet.subarray(20, 22)]).toEqual([8, 0]);
  expect(plainChecksum(packet.subarray(0, 20))).toBe(0);
  expect(plainChecksum(packet.subarray(20))).toBe(0);
});

test.each([
  ['that its time is over', (packet: Buffer) => about(11, packet)],
  ['that its network cannot be reached', (packet: Buffer) => about(3, packet)],
  ['by a router whose own header has options', (packet: Buffer) => about(11, packet, { options: 8 })],
  ['with more than eight bytes of it', (packet: Buffer) => about(11, Buffer.concat([packet, packet]))],
  ['by a host that has the address', (packet: Buffer) => icmp(0, packet.subarray(24))],
])('an answer says %s, once', async (_what, answer) => {
  const hop = createFirstHop();
  const { packet, answered } = hop.ask(own);
  expect(hop.hasAnswered()).toBe(false);
  expect(hop.takes(answer(packet))).toBe(true);
  await answered;
  expect(hop.hasAnswered()).toBe(true);
  expect(hop.takes(answer(packet)), 'it is somebody else’s now').toBe(false);
});

test('what is not about a question is left to this machine, however it is cut', () => {
  const hop = createFirstHop();
  const { packet } = hop.ask(own);
  const another = createFirstHop().ask(own).packet;
  const answer = about(11, packet);
  const others = [
    packet,
    about(11, another),
    about(12, packet),
    icmp(8, packet.subarray(24)),
    about(11, packet, { version: 6 }),
    about(11, packet, { protocol: 17 }),
    about(11, Buffer.concat([packet.subarray(0, 9), Buffer.from([17]), packet.subarray(10)])),
    ...Array.from({ length: answer.length }, (_, bytes) => answer.subarray(0, bytes)),
  ];
  expect(others.filter((one) => hop.takes(one))).toEqual([]);
  expect(hop.hasAnswered()).toBe(false);
  expect(hop.takes(answer)).toBe(true);
});
