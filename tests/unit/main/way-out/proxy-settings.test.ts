import { describe, expect, test } from 'vitest';
import type { DesktopWay, EarlierSettings } from '../../../../src/main/way-out/desktop-way.ts';
import { isException, readProxyUrl } from '../../../../src/main/way-out/proxy-setting.ts';
import { readMacosProxy } from '../../../../src/main/way-out/macos/read-macos-proxy.ts';
import { readProxySetting } from '../../../../src/main/way-out/read-proxy-setting.ts';
import type { ReadRegistry } from '#node/os/windows/user-registry.ts';
import { readWindowsProxy } from '../../../../src/main/way-out/windows/read-windows-proxy.ts';

test.each([
  ['http://proxy.example:3128', { protocol: 'http', host: 'proxy.example', port: 3128 }],
  ['proxy.example:80', { protocol: 'http', host: 'proxy.example', port: 80 }],
  ['http://proxy.example:80/', { protocol: 'http', host: 'proxy.example', port: 80 }],
  ['proxy.example', { protocol: 'http', host: 'proxy.example', port: 3128 }],
  ['socks5h://[2001:db8::1]:1080', { protocol: 'socks5', host: '2001:db8::1', port: 1080 }],
  [
    'http://guest:a%40b@192.0.2.1:8080',
    {
      protocol: 'http',
      host: '192.0.2.1',
      port: 8080,
      credentials: { username: 'guest', password: 'a@b' },
    },
  ],
  // TLS to the proxy.
  ['https://proxy.example:443', { protocol: 'https', host: 'proxy.example', port: 443 }],
  ['https://proxy.example', { protocol: 'https', host: 'proxy.example', port: 443 }],
  // Other protocols, and what is nothing.
  ['ftp://proxy.example', undefined],
  ['http://:3128', undefined],
  ['http://proxy.example:0', undefined],
  ['', undefined],
])('a proxy that is written as %s is read', (text, proxy) => {
  expect(readProxyUrl(text)).toEqual(proxy);
});

test.each(['50%', 'Hash#Tag', 'a/b?c', 'a@b', 'p%4', '[x]\\y', 'two words', 'über', 'a:b'])(
  'a password that nobody has encoded is read as it is: %s',
  (password) => {
    expect(readProxyUrl(`http://guest:${password}@proxy.example:8080`)).toEqual({
      protocol: 'http',
      host: 'proxy.example',
      port: 8080,
      credentials: { username: 'guest', password },
    });
  },
);

test.each([
  ['gw.example.com', ['example.com'], true],
  ['gw.example.com', ['.example.com'], true],
  ['gw.example.com', ['*.example.com'], true],
  ['GW.example.com', ['gw.EXAMPLE.com'], true],
  ['notexample.com', ['example.com'], false],
  ['192.0.2.7', ['192.0.2.0/24'], true],
  ['192.0.2.7', ['192.0.3.0/24', 'example.com'], false],
  ['2001:db8::1', ['2001:db8::/32'], true],
  ['2001:db8::1', ['[2001:db8::1]'], true],
  ['2001:db8::1', ['[2001:db8::2]'], false],
  ['2001:db8::1', ['2001:db8:0:0::1'], true],
  ['gw.example.com', ['example.com.'], true],
  ['gw.example.com', ['*'], true],
  ['gw.example.com', ['', '.'], false],
])('%s is reached directly with the exceptions %j: %s', (host, exceptions, isDirect) => {
  expect(isException(host, exceptions)).toBe(isDirect);
});

describe('this computer’s proxy', () => {
  const settings = (
    outputs: Readonly<Record<string, string>>,
    env: Record<string, string>,
    before?: EarlierSettings,
  ) =>
    readProxySetting({
      before: { gnome: before, kde: before },
      platform: 'linux',
      run: (name, args) => Promise.resolve(outputs[`${name} ${args.at(-1)}`]),
      env,
    });
  const environment = { HTTPS_PROXY: 'http://other.example:1', no_proxy: 'localhost,.example:8080' };
  const ofEnvironment = {
    kind: 'proxy',
    proxy: { protocol: 'http', host: 'other.example', port: 1 },
    exceptions: ['localhost', '.example'],
  };

  test('is that of the environment where there is no desktop', async () => {
    expect(await settings({}, environment)).toEqual(ofEnvironment);
    expect(await settings({}, {})).toBeUndefined();
    const no_proxy = '[2001:db8::1]:443 ::2,gw.example:8443,192.0.2.1:8443';
    expect(await settings({}, { ...environment, no_proxy })).toMatchObject({
      exceptions: ['[2001:db8::1]', '::2', 'gw.example', '192.0.2.1'],
    });
    expect(await settings({}, { all_proxy: 'socks5://192.0.2.1' })).toMatchObject({
      proxy: { protocol: 'socks5', port: 1080 },
    });
  });

  test('is GNOME’s, in its notation', async () => {
    const schema = 'org.gnome.system.proxy';
    const gnome = (mode: string) =>
      [
        `${schema} ignore-hosts ['localhost', '10.0.0.0/8']`,
        `${schema} mode '${mode}'`,
        `${schema}.http authentication-password 'it\\'s'`,
        `${schema}.http authentication-user 'guest'`,
        `${schema}.http host 'proxy.example'`,
        `${schema}.http port 8080`,
        `${schema}.http use-authentication true`,
        `${schema}.https host ''`,
        `${schema}.https port 0`,
      ].join('\n');
    const env = { ...environment, XDG_CURRENT_DESKTOP: 'GNOME' };
    const run = (mode: string) => settings({ [`gsettings ${schema}`]: gnome(mode) }, env);
    expect(await run('manual')).toMatchObject({
      proxy: {
        protocol: 'http',
        host: 'proxy.example',
        port: 8080,
        credentials: { username: 'guest', password: "it's" },
      },
      exceptions: ['localhost', '10.0.0.0/8'],
    });
    // Its other modes say nothing of a proxy by name, or of a script; the environment may.
    expect(await run('none')).toEqual(ofEnvironment);
    // It looks for a script on the network.
    expect(await run('auto')).toEqual({
      kind: 'discovery',
      otherwise: { proxy: ofEnvironment.proxy, exceptions: ofEnvironment.exceptions },
    });
  });

  test('is chosen by GNOME’s script, or by what was set before where that script is our own', async () => {
    const schema = 'org.gnome.system.proxy';
    const run = (url: string, before?: EarlierSettings) =>
      settings(
        {
          [`gsettings ${schema}`]: [
            `${schema} autoconfig-url '${url}'`,
            `${schema} mode 'auto'`,
            `${schema}.http host 'proxy.example'`,
            `${schema}.http port 8080`,
          ].join('\n'),
        },
        { XDG_CURRENT_DESKTOP: 'GNOME' },
        before,
      );
    const ours = 'http://127.0.0.1:4321/a.pac';
    const script = { kind: 'script', address: 'http://wpad.example/p.pac' };
    const was = (mode: string | null, address: string | null) => ({
      own: { mode, address },
      pacUrls: [ours],
    });
    expect(await run('http://wpad.example/p.pac')).toEqual(script);
    expect(await run('http://wpad.example/p.pac', was("'none'", null))).toEqual(script);
    expect(await run(ours, was("'auto'", "'http://wpad.example/p.pac'"))).toEqual(script);
    expect(await run(ours, was("'manual'", null))).toMatchObject({ proxy: { host: 'proxy.example' } });
    expect(await run(ours, was(null, null))).toBeUndefined();
    expect(await run(ours, was("'auto'", null))).toEqual({ kind: 'discovery', otherwise: undefined });
  });

  test('is KDE’s, in its notation', async () => {
    const env = { XDG_CURRENT_DESKTOP: 'KDE' };
    const kde = (type: string) => ({
      'kreadconfig5 ProxyType': type,
      'kreadconfig5 httpsProxy': 'http://proxy.example 8080',
      'kreadconfig5 NoProxyFor': 'localhost,.example',
    });
    expect(await settings(kde('1'), env)).toMatchObject({
      proxy: { protocol: 'http', host: 'proxy.example', port: 8080 },
      exceptions: ['localhost', '.example'],
    });
    expect(await settings(kde('0'), env)).toBeUndefined();
    expect(await settings({ ...kde('4') }, { ...env, ...environment })).toEqual(ofEnvironment);
    const script = (address: string, before?: EarlierSettings) =>
      settings({ ...kde('2'), 'kreadconfig5 Proxy Config Script': address }, env, before);
    const ours = 'http://127.0.0.1:4321/a.pac';
    const was = (mode: string | null, address: string | null) => ({
      own: { mode, address },
      pacUrls: [ours],
    });
    expect(await script('file:///etc/p.pac')).toEqual({ kind: 'script', address: 'file:///etc/p.pac' });
    expect(await script(ours, was('2', 'file:///etc/p.pac'))).toEqual({
      kind: 'script',
      address: 'file:///etc/p.pac',
    });
    expect(await script(ours, was('1', null))).toMatchObject({ proxy: { host: 'proxy.example' } });
    expect(await script(ours, was(null, null))).toBeUndefined();
    // It looks for a script on the network.
    expect(await settings(kde('3'), env)).toEqual({ kind: 'discovery', otherwise: undefined });
  });
});

describe('macOS', () => {
  const script = 'http://wpad.example/proxy.pac';
  const ours = 'http://127.0.0.1:40123/3f9cd2.pac';
  const printed = (lines: readonly string[]) =>
    `<dictionary> {\n${lines.map((line) => `  ${line}\n`).join('')}}`;
  const read = (lines: readonly string[], before: EarlierSettings[] = []): Promise<DesktopWay | undefined> =>
    readMacosProxy(() => Promise.resolve(printed(lines)), before);
  const pac = (url: string) => ['ProxyAutoConfigEnable : 1', `ProxyAutoConfigURLString : ${url}`];
  const manual = [
    'ExceptionsList : <array> {',
    '  0 : *.local',
    '  1 : 169.254/16',
    '  2 : 192.168.*',
    '}',
    'HTTPEnable : 1',
    'HTTPPort : 8080',
    'HTTPProxy : plain.example',
    'HTTPSEnable : 1',
    'HTTPSPort : 3129',
    'HTTPSProxy : proxy.example',
    'SOCKSEnable : 0',
  ];
  const ofManual = {
    kind: 'proxy',
    proxy: { protocol: 'http', host: 'proxy.example', port: 3129 },
    exceptions: ['*.local', '169.254.0.0/16', '192.168.0.0/16'],
  };

  test('has a proxy with exceptions, and a script comes first', async () => {
    expect(await read(manual)).toEqual(ofManual);
    expect(await read([...manual, ...pac(script)])).toEqual({ kind: 'script', address: script });
    expect(
      await read([...manual, 'ProxyAutoConfigEnable : 0', `ProxyAutoConfigURLString : ${script}`]),
    ).toEqual(ofManual);
    expect(await read(['SOCKSEnable : 1', 'SOCKSPort : 1080', 'SOCKSProxy : 2001:db8::1'])).toMatchObject({
      proxy: { protocol: 'socks5', host: '2001:db8::1', port: 1080 },
    });
  });

  test.each(['http://wpad/wpad.dat', 'http://proxy.corp.example/a.pac'])(
    'has the network say where the script is, though the system names %s, as it has found it itself',
    async (found) => {
      const discovered = [...pac(found), 'ProxyAutoDiscoveryEnable : 1'];
      expect(await read(discovered)).toEqual({ kind: 'script', address: undefined });
      const { proxy, exceptions } = ofManual;
      expect(
        await readProxySetting({
          run: () => Promise.resolve(printed([...manual, ...discovered])),
          env: {},
          before: {},
          platform: 'darwin',
        }),
        'a proxy that the user has set counts where there is no script',
      ).toEqual({ kind: 'discovery', otherwise: { proxy, exceptions } });
    },
  );

  test('has none', async () => {
    expect(await read(['FTPPassive : 1'])).toEqual({ kind: 'direct' });
    expect(await read(['ProxyAutoDiscoveryEnable : 1'])).toEqual({ kind: 'script', address: undefined });
    expect(await read(['HTTPEnable : 1', 'HTTPPort : 0', 'HTTPProxy : proxy.example'])).toEqual({
      kind: 'direct',
    });
    expect(await readMacosProxy(() => Promise.resolve(undefined), [])).toBeUndefined();
    expect(await readMacosProxy(() => Promise.reject(new Error('no')), [])).toBeUndefined();
  });

  test('where the script is our own, what was set before counts', async () => {
    const kept = (own: EarlierSettings['own']) => [{ own, pacUrls: [ours] }];
    expect(await read([...manual, ...pac(ours)], kept({ address: script, mode: 'on' }))).toEqual({
      kind: 'script',
      address: script,
    });
    expect(await read([...manual, ...pac(ours)], kept({ address: script, mode: 'off' }))).toEqual(ofManual);
    expect(await read(pac(ours), kept({ address: null, mode: 'off' }))).toEqual({ kind: 'direct' });
  });
});

describe('Windows', () => {
  const script = 'http://wpad.example/proxy.pac';
  const ours = 'http://127.0.0.1:40123/3f9cd2.pac';
  type Values = Readonly<Record<string, string | number>>;
  const registryOf = (own: Values, administrator: Values): ReadRegistry => {
    const at = (path: string, name: string) => (path.includes('Policies') ? administrator : own)[name];
    return {
      text(path, name) {
        const value = at(path, name);
        return typeof value === 'string' ? value : undefined;
      },
      number(path, name) {
        const value = at(path, name);
        return typeof value === 'number' ? value : undefined;
      },
    };
  };
  const read = (
    user: Values,
    before?: EarlierSettings,
    administrator: Values = {},
    machine: readonly [own: Values, administrator: Values] = [{}, {}],
  ): DesktopWay => readWindowsProxy(before, registryOf(user, administrator), registryOf(...machine));

  test.each([
    ['proxy.example:8080', { protocol: 'http', host: 'proxy.example', port: 8080 }],
    ['proxy.example', { protocol: 'http', host: 'proxy.example', port: 80 }],
    [
      'http=plain.example:1;https=proxy.example:2;socks=s.example:3',
      { protocol: 'http', host: 'proxy.example', port: 2 },
    ],
    ['socks=s.example', { protocol: 'socks5', host: 's.example', port: 1080 }],
    ['http://proxy.example:8080/', { protocol: 'http', host: 'proxy.example', port: 8080 }],
    ['[2001:db8::1]:8080', { protocol: 'http', host: '2001:db8::1', port: 8080 }],
  ])('reads a proxy that is written as %s', (written, proxy) => {
    const values = { ProxyEnable: 1, ProxyServer: written, ProxyOverride: '*.corp.example;10.*;<local>' };
    expect(read(values)).toEqual({ kind: 'proxy', proxy, exceptions: ['*.corp.example', '10.0.0.0/8'] });
    expect(read({ ...values, ProxyEnable: 0 })).toEqual({ kind: 'direct' });
    expect(read({ ...values, AutoConfigURL: script })).toEqual({ kind: 'script', address: script });
  });

  test('reads what an administrator has set first, and what was there before our own script', () => {
    expect(read({}, undefined, { ProxyEnable: 1, ProxyServer: 'proxy.example:1' })).toMatchObject({
      kind: 'proxy',
    });
    const before = { own: { address: script, mode: null }, pacUrls: [ours] };
    expect(read({ AutoConfigURL: ours }, before)).toEqual({ kind: 'script', address: script });
    expect(read({ AutoConfigURL: ours }, { ...before, own: { address: null, mode: null } })).toEqual({
      kind: 'direct',
    });
    expect(read({ ProxyEnable: 1, ProxyServer: 'ftp=other.example:21' })).toEqual({ kind: 'direct' });
  });

  test('reads the machine’s settings where an administrator has made them nobody’s own', () => {
    const user = { ProxyEnable: 1, ProxyServer: 'user.example:1' };
    const own = { ProxyEnable: 1, ProxyServer: 'machine.example:1' };
    const hostOf = (way: DesktopWay) => (way.kind === 'proxy' ? way.proxy.host : way);
    expect(hostOf(read(user, undefined, {}, [own, {}]))).toBe('user.example');
    expect(hostOf(read(user, undefined, {}, [own, { ProxySettingsPerUser: 1 }]))).toBe('user.example');
    expect(hostOf(read(user, undefined, {}, [own, { ProxySettingsPerUser: 0 }]))).toBe('machine.example');
    const managed = { ProxySettingsPerUser: 0, AutoConfigURL: script };
    expect(hostOf(read(user, undefined, {}, [own, managed]))).toEqual({ kind: 'script', address: script });
    expect(read(user, undefined, {}, [{}, { ProxySettingsPerUser: 0 }])).toEqual({ kind: 'direct' });
  });
});
