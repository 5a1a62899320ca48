import { expect, test } from 'vitest';
import { readDomains } from '../../../../../../src/renderer/features/settings/routing/read-domains.ts';

test.each([
  ['', []],
  [' Example.COM ,*.cn;example.com', ['example.com', 'cn']],
  [
    'https://www.example.com:8443/a?b, bücher.example、a.test.',
    ['www.example.com', 'xn--bcher-kva.example', 'a.test'],
  ],
  [
    'ｅｘａｍｐｌｅ．ｃｏｍ；ａ。ｔｅｓｔ，ｈｔｔｐｓ：／／ｂ．ｔｅｓｔ：８４４３／ｐａｔｈ',
    ['example.com', 'a.test', 'b.test'],
  ],
  ['онлайн，ユーザー.jp', ['xn--80asehdb', 'xn--wck1eucb.jp']],
])('%j is a list of domains', (text, domains) => {
  expect(readDomains(text)).toEqual(domains);
});

test.each(['192.0.2.1', '2001:db8::1', 'a..test', "a.test'];x", 'https://', 'a_b.c d e f.1'])(
  '%j is none',
  (text) => {
    expect(readDomains(text)).toBeUndefined();
  },
);
