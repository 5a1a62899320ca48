import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { programFile } from '../../lab/runs/programs.ts';
import { createWindows, whyNoWindows, type Windows } from '../../lab/windows/windows.ts';

const key = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings`;
const pac = 'http://127.0.0.1:40123/3f9cd2.pac';
const laterPac = 'http://127.0.0.1:40124/77ab01.pac';
const wpad = 'http://wpad.example/wpad.dat';

/** The address, as Windows' own program shows it; undefined if there is none. */
async function address(windows: Windows): Promise<string | undefined> {
  const { output } = await windows.run(['reg', 'query', key, '/v', 'AutoConfigURL']);
  return /AutoConfigURL\s+REG_SZ\s+(\S+)/.exec(output)?.[1];
}

const setAddress = (windows: Windows, to: string) =>
  windows.run(['reg', 'add', key, '/v', 'AutoConfigURL', '/d', to, '/f']);

async function app(windows: Windows, ...words: string[]): Promise<string> {
  const { output } = await windows.node('proxy-driver.mjs', words);
  return output.trim();
}

test.skipIf(whyNoWindows() !== undefined).for([undefined, wpad])(
  'the PAC file is in the settings of Windows while it is used, and what was there before, %s, comes back',
  async (before) => {
    await using windows = await createWindows();
    await windows.bring(programFile('tests/helper/windows/proxy-driver.ts'), 'proxy-driver.mjs');
    if (before !== undefined) await setAddress(windows, before);
    expect(await app(windows, 'use', pac)).toBe('true');
    expect(await address(windows)).toBe(pac);
    expect(await app(windows, 'use-and-die', laterPac)).toBe('true');
    expect(await address(windows)).toBe(laterPac);
    // The next start finds out what a killed one has left.
    expect(await app(windows, 'restore')).toBe('');
    expect(await address(windows)).toBe(before);
    const settings = JSON.parse(
      await readFile(path.join(windows.folder, 'settings.json'), 'utf8'),
    ) as unknown;
    expect(settings).toEqual({ proxyBefore: {} });
  },
);

test.skipIf(whyNoWindows() !== undefined)(
  'settings that others have changed meanwhile are left alone',
  async () => {
    await using windows = await createWindows();
    await windows.bring(programFile('tests/helper/windows/proxy-driver.ts'), 'proxy-driver.mjs');
    expect(await app(windows, 'use', pac)).toBe('true');
    await setAddress(windows, wpad);
    await app(windows, 'restore');
    expect(await address(windows)).toBe(wpad);
    // An address that is none of ours is never set.
    expect(await app(windows, 'use', 'http://192.0.2.1:80/a.pac')).toBe('false');
    expect(await address(windows)).toBe(wpad);
  },
);

test.skipIf(whyNoWindows() !== undefined)(
  'the way out is read from the settings of Windows, and never our own script',
  async () => {
    await using windows = await createWindows();
    await windows.bring(programFile('tests/helper/windows/proxy-driver.ts'), 'proxy-driver.mjs');
    const set = (...words: string[]) => windows.run(['reg', 'add', key, ...words, '/f']);
    await set('/v', 'ProxyServer', '/d', 'http=plain.example:1;https=proxy.example:3128');
    await set('/v', 'ProxyOverride', '/d', '<local>;192.168.*');
    expect(await app(windows, 'way-out')).toBe('undefined');
    await set('/v', 'ProxyEnable', '/t', 'REG_DWORD', '/d', '1');
    const proxy = {
      kind: 'proxy',
      proxy: { protocol: 'http', host: 'proxy.example', port: 3128 },
      exceptions: ['192.168.0.0/16'],
    };
    expect(JSON.parse(await app(windows, 'way-out'))).toEqual(proxy);
    expect(await app(windows, 'use', pac)).toBe('true');
    expect(JSON.parse(await app(windows, 'way-out'))).toEqual(proxy);
    await setAddress(windows, wpad);
    expect(JSON.parse(await app(windows, 'way-out'))).toEqual({ kind: 'script', address: wpad });
  },
);

test.skipIf(whyNoWindows() !== undefined)(
  'where proxy settings are those of the machine, the user’s are left alone, and do not count',
  async () => {
    await using windows = await createWindows();
    await windows.bring(programFile('tests/helper/windows/proxy-driver.ts'), 'proxy-driver.mjs');
    const policies = String.raw`HKLM\Software\Policies\Microsoft\Windows\CurrentVersion\Internet Settings`;
    await windows.run([
      'reg',
      'add',
      policies,
      '/v',
      'ProxySettingsPerUser',
      '/t',
      'REG_DWORD',
      '/d',
      '0',
      '/f',
    ]);
    await windows.run(['reg', 'add', key.replace('HKCU', 'HKLM'), '/v', 'AutoConfigURL', '/d', wpad, '/f']);
    expect(await app(windows, 'use', pac)).toBe('false');
    expect(await address(windows)).toBeUndefined();
    expect(JSON.parse(await app(windows, 'way-out'))).toEqual({ kind: 'script', address: wpad });
  },
);
