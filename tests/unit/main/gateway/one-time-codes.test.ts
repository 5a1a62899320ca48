import { expect, test } from 'vitest';
import { hotp } from '../../../lab/gateway/one-time-codes.ts';

test('codes are those of RFC 4226, appendix D', () => {
  const key = Buffer.from('12345678901234567890');
  const codes = Array.from({ length: 10 }, (_, counter) => hotp(key, BigInt(counter)));
  expect(codes).toEqual([
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ]);
});
