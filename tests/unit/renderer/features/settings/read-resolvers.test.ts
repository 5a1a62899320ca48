import { expect, test } from 'vitest';
import { readResolvers } from '../../../../../src/renderer/features/settings/read-resolvers.ts';

test.each([
  ['', []],
  [' 9.9.9.9 ,2620:fe::fe;9.9.9.9', ['9.9.9.9', '2620:fe::fe']],
  ['９.９.９.９；\u200b２６２０：ｆｅ：：ｆｅ', ['9.9.9.9', '2620:fe::fe']],
  ['10.0.0.1，10.0.0.2、10.0.0.3', ['10.0.0.1', '10.0.0.2', '10.0.0.3']],
])('%j is a list of resolvers', (text, resolvers) => {
  expect(readResolvers(text)).toEqual(resolvers);
});

test.each([
  'dns.example',
  '9.9.9',
  '9.9.9.9:53',
  '9.9.9.9/32',
  '127.0.0.53',
  '0.0.0.0',
  '::1',
  '::ffff:127.0.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::fb',
  '224.0.0.251',
  '1.1.1.1 1.0.0.1 8.8.8.8 8.8.4.4',
  '9.9.9.9\nnameserver 192.0.2.1 x',
])('%j is none', (text) => {
  expect(readResolvers(text)).toBeUndefined();
});
