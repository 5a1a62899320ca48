import { expect, test } from 'vitest';
import { createEcho } from '../../../../../helper/tunnel/health/echo-message.ts';

/** As systems answer: the same message with the type of a reply; macOS has the header of IPv4 before it (icmp(4)). */
function replyTo(message: Buffer, type: number, header = 0): Buffer {
  const reply = Buffer.from(message);
  reply[0] = type;
  return Buffer.concat([Buffer.alloc(header, 0x45), reply]);
}

test('a reply is as large as its request, and belongs to no other one', () => {
  const [large, small] = [createEcho('ipv4', 1_380), createEcho('ipv4', 600)];
  for (const header of [0, 20]) {
    expect(large.isAnswer(replyTo(large.message, 0, header)), String(header)).toBe(true);
    expect(large.isAnswer(replyTo(small.message, 0, header)), String(header)).toBe(false);
    expect(small.isAnswer(replyTo(large.message, 0, header)), String(header)).toBe(false);
    expect(large.isAnswer(replyTo(large.message, 0, header).subarray(0, 1_000)), String(header)).toBe(false);
  }
  const six = createEcho('ipv6', 1_380);
  expect(six.isAnswer(replyTo(six.message, 129))).toBe(true);
});

test('the checksum of IPv4 is there for systems that do not compute it', () => {
  for (const bytes of [600, 601]) {
    const { message } = createEcho('ipv4', bytes);
    let sum = 0;
    for (let at = 0; at < bytes; at += 2) sum += ((message[at] ?? 0) << 8) | (message[at + 1] ?? 0);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    expect(sum, String(bytes)).toBe(0xffff);
  }
  expect(createEcho('ipv6', 600).message.readUInt32BE(0)).toBe(0x8000_0000);
});
