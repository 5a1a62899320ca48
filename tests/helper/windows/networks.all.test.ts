import path from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { createWindows, whyNoWindows } from '../../lab/windows/windows.ts';

/** The network in use, read under wine from a double that is compiled with Windows' headers, and from wine itself. */

const name = Buffer.from('Café').toString('hex');

test.skipIf(whyNoWindows() !== undefined)(
  'adapters and the Wi-Fi network are read as Windows’ headers lay them out',
  async () => {
    await using windows = await createWindows();
    const library = path.join(windows.folder, 'networks-double.dll');
    const source = path.join(import.meta.dirname, 'networks-double.c');
    await run(['x86_64-w64-mingw32-gcc', '-O1', '-shared', '-o', library, source]);
    await windows.bring(programFile('tests/helper/windows/networks-driver.ts'), 'networks-driver.mjs');
    const read = async (wlan: string) => {
      const { code, output } = await windows.node(
        'networks-driver.mjs',
        [windows.path('networks-double.dll')],
        {
          WLAN: wlan,
        },
      );
      expect(code).toBe(0);
      const [adapters, now] = output.trim().split('\n');
      return {
        adapters: JSON.parse(adapters ?? '') as object[],
        now: JSON.parse(now ?? '') as { network: object },
      };
    };

    const wpa2 = await read('7');
    expect(wpa2.adapters).toMatchObject([
      {
        guid: '{00000000-0000-4000-8000-000000000002}',
        type: 6,
        metrics: { ipv4: 35, ipv6: 45 },
        routers: [],
      },
      {
        guid: '{12345678-9ABC-4DEF-8001-020304050607}',
        description: 'Wi-Fi 6 µ',
        type: 71,
        metrics: { ipv4: 36, ipv6: 46 },
        routers: [expect.stringMatching(/^02000000c0a80701/), expect.stringMatching(/^17000000/)],
      },
      { description: 'Waymaker Tunnel', type: 53 },
    ]);
    expect(wpa2.now.network).toEqual({ kind: 'wifi', ssid: name, isProtected: true });

    // Open, WEP, and WPA3 with a password; OWE encrypts, and lets everybody in.
    for (const [algorithm, isProtected] of [
      ['1', false],
      ['2', false],
      ['9', true],
      ['10', false],
    ] as const)
      expect((await read(algorithm)).now.network).toEqual({ kind: 'wifi', ssid: name, isProtected });
    for (const word of ['denied', 'hidden', 'away', 'no service'])
      expect((await read(word)).now.network).toEqual({ kind: 'wifi', isProtected: false });

    // Wine's own adapters are this machine's, and it has no wireless service.
    const { code, output } = await windows.node('networks-driver.mjs');
    expect(code).toBe(0);
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toMatchObject({
      network: { kind: expect.stringMatching(/^(?:wired|none)$/) as unknown },
    });
  },
);
