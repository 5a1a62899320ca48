import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asciiHost, canonicalName, enclosingDomains, listedDomain } from '#shared/tunnel/domain-name.ts';
import { isBlocked, readDomains, withoutSubdomains } from '#shared/tunnel/domain-set.ts';

describe('a name in canonical form', () => {
  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['中国', 'xn--fiqs8s'],
    ['a。b', 'a.b'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['a-b--c.test', 'a-b--c.test'],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
  ])('%s', (text, name) => expect(canonicalName(text)).toBe(name));

  test.each([
    '',
    '.',
    '..',
    'a..b',
    '.a',
    'a..',
    '-a.test',
    'a-.test',
    'a b',
    'a:80',
    'a/b',
    'a@b',
    'a%62.test',
    'ü%62.test',
    'ü/b',
    'ü?b',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    'x.0x7f',
    '::1',
    '[::1]',
    'a\0.test',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(126)}test`,
  ])('%j is none', (text) => expect(canonicalName(text)).toBeUndefined());

  test('has nothing but what names are made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(canonicalName(text) ?? '').toMatch(/^[a-z0-9._-]*$/);
      }),
      { numRuns: 5000 },
    );
  });

  test('is its own canonical form', () => {
    fc.assert(
      fc.property(fc.domain(), (text) => {
        const name = canonicalName(text);
        if (name !== undefined) expect(canonicalName(name)).toBe(name);
      }),
    );
    expect(canonicalName('example.com')).toBeDefined();
  });
});

test.each(['example.com', '.example.com', '*.example.com', ' Example.COM. \r'])('the entry %j', (entry) =>
  expect(listedDomain(entry)).toBe('example.com'),
);

test('a name is in itself and in each domain above it', () => {
  expect([...enclosingDomains('a.b.test')]).toEqual(['a.b.test', 'b.test', 'test']);
});

test('domains below others of the set are left out, and nothing else', () => {
  const domains = readDomains(['b.test', 'a.b.test', 'x.a.b.test', 'ab.test', 'no name', 'A.other.test']);
  expect(withoutSubdomains(domains, new Set())).toEqual(['b.test', 'ab.test', 'a.other.test']);
  expect(withoutSubdomains(domains, new Set(['a.b.test']))).toEqual([
    'b.test',
    'a.b.test',
    'ab.test',
    'a.other.test',
  ]);
});

test('the most specific entry decides, and blocked wins where both lists have it', () => {
  const lists = {
    routed: readDomains(['good.ads.test', 'both.test', 'site.test']),
    blocked: readDomains(['ads.test', 'both.test', 'ads.site.test', 'bad.good.ads.test']),
  };
  const verdicts = (...names: string[]) => names.map((name) => isBlocked(name, lists));
  expect(verdicts('ads.test', 'x.ads.test', 'both.test', 'ads.site.test', 'bad.good.ads.test')).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(
    verdicts('good.ads.test', 'x.good.ads.test', 'site.test', 'x.site.test', 'elsewhere.test', 'test'),
  ).toEqual([false, false, false, false, false, false]);
});

test.each([
  ['bücher.example', 'xn--bcher-kva.example'],
  ['vpn.例子.中国', 'vpn.xn--fsqu00a.xn--fiqs8s'],
  ['ＶＰＮ.example', 'vpn.example'],
  ['GW.example.net', 'GW.example.net'],
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['bü cher', 'bü cher'],
])('as a host, %s is %s', (host, ascii) => expect(asciiHost(host)).toBe(ascii));
