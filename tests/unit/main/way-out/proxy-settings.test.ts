import { describe, expect, test } from 'vitest';
import { pino } from 'pino';
import type { EarlierSettings } from '../../../../src/main/way-out/desktop-way.ts';
import { isException, readProxyUrl } from '../../../../src/main/way-out/proxy-setting.ts';
import { readProxySetting } from '../../../../src/main/way-out/read-proxy-setting.ts';

const log = pino({ enabled: false });

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
  // TLS to the proxy, other protocols, and what is nothing.
  ['https://proxy.example:443', undefined],
  ['ftp://proxy.example', undefined],
  ['http://:3128', undefined],
  ['http://proxy.example:0', undefined],
  ['', undefined],
])('a proxy that is written as %s is read', (text, proxy) => {
  expect(readProxyUrl(text)).toEqual(proxy);
});

test.each([
  ['gw.example.com', ['example.com'], true],
  ['gw.example.com', ['.example.com'], true],
  ['gw.example.com', ['*.example.com'], true],
  ['GW.example.com', ['gw.EXAMPLE.com'], true],
  ['notexample.com', ['example.com'], false],
  ['192.0.2.7', ['192.0.2.0/24'], true],
  ['192.0.2.7', ['192.0.3.0/24', 'example.com'], false],
  ['2001:db8::1', ['2001:db8::/32'], true],
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
      before: () => before,
      run: (name, args) => Promise.resolve(outputs[`${name} ${args.at(-1)}`]),
      env,
      log,
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
    for (const mode of ['none', 'auto']) expect(await run(mode)).toEqual(ofEnvironment);
  });

  test('is chosen by GNOME’s script; where that is our own, by what was set before', async () => {
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
    expect(await run(ours, was("'auto'", null))).toBeUndefined();
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
    expect(await settings(kde('3'), env)).toBeUndefined();
  });
});
