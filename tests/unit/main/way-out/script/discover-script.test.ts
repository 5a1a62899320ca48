import { describe, expect, test } from 'vitest';
import { readScriptByDhcp } from '../../../../../src/main/way-out/read-proxy-setting.ts';
import { discoverScript } from '../../../../../src/main/way-out/script/discover-script.ts';

/** A network whose resolver knows these names; `asked` are those that were looked up. */
function network(
  names: Readonly<Record<string, readonly string[]>>,
  { search = '', hosts = '', nmcli }: { search?: string; hosts?: string; nmcli?: string } = {},
) {
  const asked: string[] = [];
  const discovered = discoverScript({
    byDhcp: () => readScriptByDhcp(() => Promise.resolve(nmcli), 'linux'),
    find(name) {
      asked.push(name);
      return Promise.resolve([...(names[name] ?? [])]);
    },
    files: { hosts: async () => hosts, resolvConf: async () => `nameserver 192.0.2.53\n${search}\n` },
  });
  return { discovered, asked };
}

describe('by name', () => {
  test('the first search domain that has one, at a private address', async () => {
    const { discovered } = network(
      { 'wpad.branch.corp.example': [], 'wpad.corp.example': ['10.0.0.5', 'fd00::5'] },
      { search: 'search branch.corp.example corp.example' },
    );
    // A stranger's resolver could give another address to whoever connects.
    expect(await discovered).toEqual({
      address: 'http://wpad.corp.example/wpad.dat',
      at: ['10.0.0.5', 'fd00::5'],
    });
  });

  test('nothing above a search domain, below a word, or without a domain', async () => {
    const anywhere = { wpad: ['10.0.0.9'], 'wpad.school': ['10.0.0.9'], 'wpad.example': ['10.0.0.9'] };
    const { discovered, asked } = network(anywhere, { search: 'search school a.b.example' });
    expect(await discovered).toBeUndefined();
    expect(asked).toEqual(['wpad.a.b.example']);
    const none = network(anywhere);
    expect(await none.discovered).toBeUndefined();
    expect(none.asked).toEqual([]);
  });

  test.each([
    ['a stranger’s', ['203.0.113.5']],
    ['both', ['10.0.0.5', '203.0.113.5']],
    ['this computer’s', ['127.0.0.1']],
    ['a stranger’s with IPv6', ['2001:db8::5']],
  ])('a name with %s addresses is not used', async (_whose, addresses) => {
    const { discovered, asked } = network(
      { 'wpad.corp.example': addresses },
      { search: 'domain corp.example.' },
    );
    expect(await discovered).toBeUndefined();
    expect(asked).toEqual(['wpad.corp.example']);
  });

  test('what this computer’s own table of hosts names is used', async () => {
    const hosts = '127.0.0.1 localhost\n203.0.113.5 proxy wpad # ours\n';
    expect(await network({}, { hosts }).discovered).toEqual({ address: 'http://wpad/wpad.dat' });
    expect(await network({}, { hosts: '# 203.0.113.5 wpad' }).discovered).toBeUndefined();
  });

  test('a resolver that never answers is not waited for', async () => {
    const discovered = discoverScript({
      byDhcp: () => Promise.resolve(undefined),
      find: () => new Promise(() => undefined),
      files: { hosts: async () => '', resolvConf: async () => 'search corp.example' },
    });
    expect(await discovered).toBeUndefined();
  });
});

describe('by DHCP', () => {
  const option = (value: string) =>
    `DHCP4.OPTION[1]:domain_name = corp.example\nDHCP4.OPTION[2]:wpad = ${value}`;

  test.each([
    ['http://proxy.corp.example:8080/proxy.pac', 'http://proxy.corp.example:8080/proxy.pac'],
    [String.raw`http://203.0.113.5/wpad.dat\000`, 'http://203.0.113.5/wpad.dat'],
    ['https://proxy.corp.example/wpad.dat ', 'https://proxy.corp.example/wpad.dat'],
    ['file:///etc/passwd', undefined],
    ['proxy.corp.example', undefined],
    ['', undefined],
  ])('the address %j', async (value, address) => {
    const { discovered, asked } = network({}, { nmcli: option(value) });
    expect((await discovered)?.address).toBe(address);
    expect(asked).toEqual([]);
  });

  test.each([
    ['http://proxy.corp.example:8080/proxy.pac', 1, 'http://proxy.corp.example:8080/proxy.pac'],
    // macOS itself knows no better than to look this up.
    ['http://wpad/wpad.dat', 1, undefined],
    ['file:///etc/passwd', 1, undefined],
    // Somebody has set it.
    ['http://proxy.corp.example:8080/proxy.pac', 0, undefined],
  ])('on macOS, of %s with discovery %i', async (url, discovery, address) => {
    const printed = `<dictionary> {
  ProxyAutoConfigEnable : 1
  ProxyAutoConfigURLString : ${url}
  ProxyAutoDiscoveryEnable : ${discovery}
}`;
    expect(await readScriptByDhcp(() => Promise.resolve(printed), 'darwin')).toBe(address);
  });

  test('counts for more than a name', async () => {
    const { discovered } = network(
      { 'wpad.corp.example': ['10.0.0.5'] },
      { nmcli: option('http://10.0.0.6/a.pac'), search: 'search corp.example' },
    );
    expect(await discovered).toEqual({ address: 'http://10.0.0.6/a.pac' });
  });
});
