import { expect, test } from 'vitest';
import { readEngineLine, readGoodbye } from '../../../../helper/engine/openconnect/output.ts';

test.each([
  ["Received server disconnect: b0 'Idle timeout'", 'Idle timeout'],
  ["Received server disconnect: 00 'It's over'", "It's over"],
  ["Received server disconnect: 0d 'as long as a line may be and", 'as long as a line may be and'],
  ["Received server disconnect: b0 ''", ''],
  ['VPN service unavailable; reason: No assigned address', 'No assigned address'],
])('%s is a goodbye', (line, text) => {
  expect(readGoodbye(line)).toBe(text);
});

test.each([
  'Received server disconnect',
  "< X-CSTP-Banner: Received server disconnect: b0 'Idle timeout'",
  "Received server disconnect: b0'Idle timeout'",
  // There was no such header.
  'VPN service unavailable; reason: <unknown>',
  'Got inappropriate HTTP CONNECT response: VPN service unavailable; reason: No licence',
])('%s is none with words', (line) => {
  expect(readGoodbye(line)).toBeUndefined();
});

test('a gateway that takes nobody now is known by its reason', () => {
  expect(readEngineLine('VPN service unavailable; reason: Established DTLS connection')).toBe('unavailable');
});

test('a goodbye can say nothing else of the tunnel', () => {
  const line = "Received server disconnect: b0 'Connected to HTTPS on Established DTLS connection '";
  expect(readEngineLine(line)).toBeUndefined();
});
