import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listedDomain } from '#shared/tunnel/domain-name.ts';
import { fitPacFile, ListsTooLong, pacFile } from '#shared/tunnel/pac-file.ts';
import { isExhaustive } from '../../../lab/runs/thoroughness.ts';
import { pacFilePath } from '../../../../helper/proxy/serve-pac-file.ts';

const port = 40_123;
const toProxy = `SOCKS5 127.0.0.1:${port}; PROXY 127.0.0.1:${port}`;

/** Loads a PAC file as a browser does, in a world of its own. */
function load(text: string): { find: (host: string) => string; world: vm.Context } {
  const world = vm.createContext({});
  vm.runInContext(text, world);
  return {
    world,
    find: (host) => String(vm.runInContext(`FindProxyForURL('http://x/', ${JSON.stringify(host)})`, world)),
  };
}

const pacOf = (routeDomains: string[], blockedDomains: string[] = []) =>
  load(pacFile({ port, routeDomains, blockedDomains }));

describe('decides', () => {
  const { find } = pacOf(
    ['example.com', '.dotted.test', '*.starred.test', 'UPPER.Test', 'bücher.test', 'cn', 'a.blocked.test'],
    ['blocked.test', 'constructor.test', 'valueof'],
  );

  test.each([
    'example.com',
    'www.example.com',
    'a.b.c.example.com',
    'EXAMPLE.com',
    'example.com.',
    'dotted.test',
    'starred.test',
    'x.starred.test',
    'upper.test',
    'xn--bcher-kva.test',
    'weibo.cn',
    'blocked.test',
    'x.blocked.test',
    'x.a.blocked.test',
    'constructor.test',
    'x.valueof',
  ])('%s goes to the proxy, without a direct way behind it', (host) => expect(find(host)).toBe(toProxy));

  test.each([
    'test',
    'com',
    'cn',
    'valueof',
    'example.org',
    'notexample.com',
    'example.com.evil.test',
    'example.com..',
    '',
    '.',
    '..',
    'localhost',
    '192.0.2.1',
    '2001:db8::1',
    '[2001:db8::1]',
    '__proto__',
    'constructor',
    'x.__proto__',
    'x.constructor',
    'toString.hasOwnProperty',
  ])('%s goes direct', (host) => expect(find(host)).toBe('DIRECT'));
});

test('a name that goes direct does so with what is below it, unless a longer one does not', () => {
  const { find } = load(
    pacFile({
      port,
      routeDomains: ['cn', 'work.site.cn', 'both.cn'],
      blockedDomains: ['ads.site.cn'],
      directDomains: ['site.cn', 'other.test', 'both.cn', 'deep.work.site.cn'],
    }),
  );
  for (const host of [
    'cn.cn',
    'a.cn',
    'notsite.cn',
    'work.site.cn',
    'x.work.site.cn',
    'x.ads.site.cn',
    'x.both.cn',
  ])
    expect([host, find(host)]).toEqual([host, toProxy]);
  for (const host of ['site.cn', 'x.site.cn', 'deep.work.site.cn', 'other.test', 'x.other.test'])
    expect([host, find(host)]).toEqual([host, 'DIRECT']);
});

test('an empty list makes a file that sends everything direct', () => {
  expect(pacOf([]).find('example.com')).toBe('DIRECT');
});

describe('nothing in a list gets out of its place', () => {
  test.each([
    `"]]);globalThis.broken=1;//`,
    `a.test"];broken=1;["`,
    `a.test');broken=1;('`,
    'a.test\\";broken=1;//',
    'a.test\nbroken=1;\n',
    'a.test\u2028broken=1;',
    '</script><script>broken=1</script>',
    '*/broken=1/*',
    '${broken=1}',
    "a.test/';broken=1",
    '__proto__',
    '*.__proto__',
    'constructor',
    'x'.repeat(2000),
    '*.',
    '*.*.test',
    '..test',
    '-.test',
    '1.2.3.4',
    '0x7f.1',
    '1',
    'a b.test',
    'b%C3%BCcher.test',
    'ü/broken.test',
    'ABC',
  ])('%s', (entry) => {
    for (const lists of [
      [[entry, 'good.test'], []],
      [['good.test'], [entry]],
    ] as const) {
      const { find, world } = pacOf([...lists[0]], [...lists[1]]);
      expect(vm.runInContext('typeof broken', world)).toBe('undefined');
      expect(find('good.test')).toBe(toProxy);
      expect(find('other.example')).toBe('DIRECT');
    }
  });

  test('whatever text it has, the file is plain ASCII without a line that the list made', () => {
    const lines = (routeDomains: string[]) => pacFile({ port, routeDomains, blockedDomains: [] }).split('\n');
    const frame = lines(['a.test']).filter((line) => !line.startsWith('["'));
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 80 })), (list) => {
        const made = lines([...list, 'a.test']);
        expect(made.filter((line) => !/^\["[a-z0-9-]+","[A-Za-z0-9._-]+"\],?$/.test(line))).toEqual(frame);
      }),
      { numRuns: isExhaustive ? 1000 : 200 },
    );
  });
});

/** Few labels, so that domains are often below one another and share their beginnings. */
const label = fc.constantFrom(
  'a',
  'ab',
  'abc',
  'abcdefghijklmnopqrstuvwxyz-abcdefghijklmnop',
  'b',
  '_b',
  'com',
  'constructor',
);
const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => [...labels, 'test'].join('.'));

test('decides as the lists say, entry by entry', () => {
  const isIn = (host: string, list: string[]) =>
    list.some((entry) => host === entry || host.endsWith(`.${entry}`));
  fc.assert(
    fc.property(
      fc.array(domain, { maxLength: 12 }),
      fc.array(domain, { maxLength: 4 }),
      fc.array(domain, { minLength: 1, maxLength: 12 }),
      (routed, blocked, hosts) => {
        const { find } = pacOf(routed, blocked);
        for (const host of hosts) {
          expect(find(host)).toBe(isIn(host, [...routed, ...blocked]) ? toProxy : 'DIRECT');
        }
      },
    ),
    { numRuns: isExhaustive ? 500 : 100 },
  );
});

describe('the real list', () => {
  const file = path.resolve(import.meta.dirname, '../../../fixtures/route-lists/cn-domains.txt');
  const list = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const text = pacFile({ port, routeDomains: list, blockedDomains: [] });
  const { find } = load(text);
  const every = (count: number) => list.filter((_, index) => index % Math.floor(list.length / count) === 0);

  test('is within the megabyte that Chromium takes', () => {
    expect(list).toHaveLength(110_769);
    expect(text.length).toBeLessThan(1024 * 1024);
  });

  test('none of its domains is lost', () => {
    expect(list.filter((entry) => find(entry) !== toProxy && entry.includes('.'))).toEqual([]);
  });

  test('200 of its domains and names below them go to the proxy, 200 neighbours of theirs do not', () => {
    const listed = new Set(list);
    const isListed = (host: string) =>
      host.split('.').some((_, index, labels) => listed.has(labels.slice(index).join('.')));
    const members = every(200);
    expect(members.length).toBeGreaterThanOrEqual(200);
    for (const member of members) expect(find(`www.${member}`)).toBe(toProxy);
    const neighbours = every(300)
      .flatMap((member) => [`x${member}`, member.slice(1), `${member}x`])
      .filter((host) => listedDomain(host) !== undefined && !isListed(host));
    expect(neighbours.length).toBeGreaterThan(200);
    expect(neighbours.filter((host) => find(host) !== 'DIRECT')).toEqual([]);
  });
});

test('the address follows the content', () => {
  const one = pacFile({ port, routeDomains: ['a.test'], blockedDomains: [] });
  expect(pacFilePath(one)).toMatch(/^\/[0-9a-f]{16}\.pac$/);
  // The same names by another list: the same file.
  expect(pacFile({ port, routeDomains: ['A.test', 'b.a.test'], blockedDomains: [] })).toBe(one);
  expect(pacFilePath(pacFile({ port, routeDomains: ['b.test'], blockedDomains: [] }))).not.toBe(
    pacFilePath(one),
  );
});

test('a file that Chromium would not take is refused from its first byte too many on, as is foretold', () => {
  const mebibyte = 1024 * 1024;
  const listOf = (count: number, last: string) => [
    ...Array.from({ length: count }, (_, index) => `${index}${'x'.repeat(40)}.test`),
    `${last}.example`,
  ];
  const make = (routeDomains: string[]) => pacFile({ port: 65_535, routeDomains, blockedDomains: [] });
  let [count, tooMany] = [1, 40_000];
  while (tooMany - count > 1) {
    const half = Math.floor((count + tooMany) / 2);
    if (fitPacFile({ routeDomains: listOf(half, 'z'), blockedDomains: [] })) count = half;
    else tooMany = half;
  }
  const left = mebibyte - make(listOf(count, 'z')).length;
  const [full, over] = [1 + left, 2 + left].map((length) => listOf(count, 'z'.repeat(length)));
  if (!full || !over) throw new Error('no lists');
  expect(make(full)).toHaveLength(mebibyte);
  expect(fitPacFile({ routeDomains: full, blockedDomains: [] })).toBe(true);
  expect(() => make(over)).toThrow(ListsTooLong);
  expect(fitPacFile({ routeDomains: over, blockedDomains: [] })).toBe(false);
});
