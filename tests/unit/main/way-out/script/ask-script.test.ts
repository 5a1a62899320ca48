import { describe, expect, test } from 'vitest';
import { askScript } from '../../../../../src/main/way-out/script/ask-script.ts';
import { waitLimit } from '../../../../lab/runs/wait-limit.ts';

const world = {
  find: (name: string) =>
    name === 'broken.example'
      ? Promise.reject(new Error('no such name'))
      : Promise.resolve(name === 'gw.example' ? ['192.0.2.7'] : []),
  own: () => Promise.resolve(['198.51.100.5']),
};
const find = (body: string) => `function FindProxyForURL(url, host) { ${body} }`;
/** What the script says for gw.example. */
async function answer(script: string, limitMs?: number) {
  const said = await askScript(script, ['gw.example'], {
    ...world,
    ...(limitMs !== undefined && { limitMs }),
  });
  return said.ok ? said.answers.get('gw.example') : said;
}

test.each([
  [
    'in JavaScript of the nineties',
    find('if (isPlainHostName(host)) return "DIRECT"; return "PROXY p:1; DIRECT";'),
  ],
  [
    'in today’s JavaScript',
    'const FindProxyForURL = (url, host) => { try { none() } catch {} return host?.length ? `PROXY p:1; DIRECT` : null ?? "DIRECT" };',
  ],
  [
    'that looks a name up in a nested function',
    find(
      'return ["gw.example"].some(function (n) { return dnsResolve(n) === "192.0.2.7" }) ? "PROXY p:1; DIRECT" : "DIRECT";',
    ),
  ],
  [
    'that looks names up at its start',
    `var office = isInNet("gw.example", "192.0.2.0", "255.255.255.0"); ${find('return office ? "PROXY p:1; DIRECT" : "DIRECT";')}`,
  ],
  [
    'that catches what a look-up throws',
    find(
      'try { var a = dnsResolve(host); } catch (e) { return "DIRECT"; } return a ? "PROXY p:1; DIRECT" : "DIRECT";',
    ),
  ],
  [
    'that looks at this computer',
    find('return myIpAddress() === "198.51.100.5" ? "PROXY p:1; DIRECT" : "DIRECT";'),
  ],
  [
    'that looks up what has no address',
    find(
      'return isResolvable("nowhere.example") || isResolvable("broken.example") ? "DIRECT" : "PROXY p:1; DIRECT";',
    ),
  ],
  [
    'whose address has no path',
    find('return url === "https://gw.example/" ? "PROXY p:1; DIRECT" : "DIRECT";'),
  ],
  [
    'with Microsoft’s functions',
    'function FindProxyForURLEx(url, host) { return isInNetEx(host, "192.0.2.0/24") ? "PROXY p:1; DIRECT" : "DIRECT"; }',
  ],
  ['with a byte-order mark', `\uFEFF${find('return "PROXY p:1; DIRECT";')}`],
])('a script %s is understood', async (_what, script) => {
  expect(await answer(script)).toBe('PROXY p:1; DIRECT');
});

test('a script is asked for each of several hosts, and what fails for one does not count for another', async () => {
  const hosts = ['gw.example', 'bad.example', 'odd.example', '2001:db8::1'];
  const script = find(
    'if (host === "bad.example") throw new Error("no"); if (host === "odd.example") return { toString: 5 }; return "PROXY " + url;',
  );
  expect(await askScript(script, hosts, world)).toMatchObject({
    ok: true,
    answers: new Map([
      ['gw.example', 'PROXY https://gw.example/'],
      ['bad.example', undefined],
      ['odd.example', undefined],
      ['2001:db8::1', 'PROXY https://[2001:db8::1]/'],
    ]),
  });
});

test.each([
  ['is not JavaScript', 'this is no script'],
  ['has no function', 'var a = 1;'],
  ['has it behind a getter', 'Object.defineProperty(globalThis, "FindProxyForURL", { get() { throw 1 } });'],
  ['is a generator', 'function* FindProxyForURL() { yield "PROXY p:1"; }'],
  ['nests brackets too deeply', `x = ${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ['is a page', '<!doctype html><title>Sign in</title>'],
  ['fills its memory', find('var a = []; for (;;) a.push("x".repeat(1e6) + a.length);')],
  ['calls itself for ever', find('return FindProxyForURL(url, host);')],
  ['is a promise', `async ${find('return "PROXY p:1";')}`],
  ['uses globals of Node', find('return String(process.env.HOME);')],
  [
    'reaches for them by a constructor',
    find('return String(dnsResolve.constructor("return process")().pid);'),
  ],
])('a script that %s has no answer', async (_what, script) => {
  const said = await askScript(script, ['gw.example'], world);
  expect(said.ok ? said.answers.get('gw.example') : undefined).toBeUndefined();
});

describe('a script that never ends is ended', () => {
  test.each([
    ['with a loop', find('for (;;) ;')],
    ['before its function', 'for (;;) ;'],
    ['in a built-in function', find('return new Array(4294967295).join("").length + "";')],
    ['with a regular expression', find('return String(/^(a+)+$/.test("a".repeat(60) + "b"));')],
    ['and catches what ends it', find('for (;;) { try { for (;;) ; } catch (e) { } }')],
  ])(
    '%s',
    async (_how, script) => {
      expect(await answer(script, 1_000)).toEqual({ ok: false, why: 'it takes too long' });
    },
    waitLimit(30_000),
  );
});

test('a script cannot look up names without end, or invalid ones', async () => {
  let asked: string[] = [];
  const counting = {
    ...world,
    find(name: string) {
      asked.push(name);
      return Promise.resolve([]);
    },
  };
  const many = find(
    'for (var i = 0; i < 1000; i++) { try { dnsResolve("n" + i + ".example"); } catch (e) {} } return "DIRECT";',
  );
  await askScript(many, ['gw.example'], counting);
  expect(asked).toHaveLength(32);
  asked = [];
  const chain = find('var n = 0; for (;;) { n++; dnsResolve("n" + n + ".example"); }');
  expect(await askScript(chain, ['gw.example'], counting)).toMatchObject({ ok: false });
  expect(asked.length).toBeLessThanOrEqual(32);
  asked = [];
  const odd = find(
    '["a b", "-x\\n", "", "x".repeat(300), {}, [1], "a..b"].forEach(function (n) { dnsResolve(n) }); return "DIRECT";',
  );
  expect(await askScript(odd, ['gw.example'], counting)).toMatchObject({ ok: true });
  expect(asked).toEqual([]);
});

test('this computer’s own addresses are found without a packet', async () => {
  const said = await askScript(find('return myIpAddress();'), ['gw.example'], { find: world.find });
  expect(said.ok && said.answers.get('gw.example')).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
});
