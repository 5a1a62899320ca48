import { expect, test } from 'vitest';
import { internetChecksum } from '#node/network/internet-checksum.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

test('the sum of the example in RFC 1071 §3 is ddf2, and the checksum its complement', () => {
  expect(internetChecksum(hex('0001f203f4f5f6f7'))).toBe(~0xddf2 & 0xffff);
});

test('a message with its checksum in it comes to 0, in several parts, too', () => {
  const message = hex('45000073000040004011b861c0a80001c0a800c7');
  expect(internetChecksum(message)).toBe(0);
  expect(internetChecksum(message.subarray(0, 12), message.subarray(12))).toBe(0);
  message.writeUInt8(message.readUInt8(8) ^ 1, 8);
  expect(internetChecksum(message)).not.toBe(0);
});

test('an odd last byte counts as if a zero followed, and a part of odd length joins the next', () => {
  expect(internetChecksum(hex('0001f2'))).toBe(internetChecksum(hex('0001f200')));
  expect(internetChecksum(hex('0001f2'), hex('03f4f5f6f7'))).toBe(internetChecksum(hex('0001f203f4f5f6f7')));
});
