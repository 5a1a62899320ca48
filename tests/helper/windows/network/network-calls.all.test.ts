import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { bundleProgram } from '../../../../scripts/bundle-program.ts';
import { createWindows, whyNoWindows, type Windows } from '../../../lab/windows/windows.ts';
import { recording, writeCalls, type RecordedCall } from '../../../unit/helper/windows/model/record-calls.ts';
import { othersActs, run, type Scenario } from '../../../unit/helper/windows/model/scenario.ts';
import { expectedLines } from './expected-lines.ts';

/**
 * The adapter's native calls under wine: doubles of the libraries that wine lacks, compiled with Windows' headers, read
 * the bytes. The registry is wine's own.
 */
const without = whyNoWindows();

const everything: Routing = { mode: 'global', localNetwork: true };
const some: Routing = {
  mode: 'ip',
  policy: 'exclude',
  routeIps: ['203.0.113.0/24', '2001:db8:aaaa::/48'],
  localNetwork: false,
};
const byProxy: Routing = { mode: 'pac', routeDomains: ['example.org'], blockedDomains: [] };
const base: Scenario = {
  hasIpv6: true,
  hasPolicies: true,
  othersPermit: false,
  killSwitch: true,
  isReaddressed: true,
  routings: [everything, some, byProxy],
  act: 'nothing',
  end: 'release, still blocked',
};

/** Every mode, every change between two, and what others do; a crash ends a sequence of calls earlier, and recovers. */
const scenarios: readonly Scenario[] = [
  base,
  { ...base, routings: [byProxy, some, everything], killSwitch: false, end: 'release' },
  { ...base, routings: [some, byProxy, everything], end: 'reboot' },
  ...othersActs.map((act): Scenario => ({ ...base, routings: [everything], act, end: 'crash' })),
];

/** Numbers of interfaces in the double, as a text that says that they have 64 bits. */
const [ethernet, loopback] = [0x6008001000000n, 0x18000000000000n].map((luid) => `${luid}n`);

describe.skipIf(without !== undefined)(
  `native calls under wine${without === undefined ? '' : `: ${without}`}`,
  () => {
    let windows: Windows;
    const record = () => path.join(windows.folder, 'record.jsonl');

    beforeAll(async () => {
      windows = await createWindows();
      const library = path.join(windows.folder, 'double.dll');
      const source = path.join(import.meta.dirname, 'double.c');
      await promisify(execFile)('x86_64-w64-mingw32-gcc', [
        '-shared',
        '-O1',
        '-o',
        library,
        source,
        '-lws2_32',
        '-ladvapi32',
      ]);
      await bundleProgram({
        entry: path.relative(
          path.resolve(import.meta.dirname, '../../../..'),
          path.join(import.meta.dirname, 'replay-calls.ts'),
        ),
        file: path.join(windows.folder, 'replay-calls.mjs'),
        external: ['koffi'],
      });
    });
    afterAll(() => windows[Symbol.asyncDispose]());

    async function make(
      mode: string,
    ): Promise<{ code: number | null; printed: unknown[]; lines: unknown[] }> {
      await writeFile(record(), '');
      const { code, output } = await windows.node('replay-calls.mjs', [mode, windows.path('double.dll')], {
        RECORD_FILE: windows.path('record.jsonl'),
      });
      const parsed = (text: string) =>
        text
          .split('\n')
          .filter(Boolean)
          .map((line): unknown => (/^["[{]/.test(line) ? JSON.parse(line) : line));
      return { code, printed: parsed(output), lines: parsed(await readFile(record(), 'utf8')) };
    }

    test('every byte of every call that the adapter makes in every mode arrives as it was meant', async () => {
      const calls: RecordedCall[] = [];
      for (const scenario of scenarios)
        expect(await run(scenario, (real) => recording(real, calls))).toEqual([]);
      await writeFile(path.join(windows.folder, 'calls.json'), writeCalls(calls));
      const { code, printed, lines } = await make('replay');
      expect(printed).toEqual(['done']);
      expect(code).toBe(0);
      const wanted = calls.flatMap(expectedLines);
      expect(lines).toHaveLength(wanted.length);
      // One by one: a difference between thousands of lines says nothing.
      for (const [index, line] of lines.entries()) expect(line, `call ${index}`).toEqual(wanted[index]);
      expect(wanted.length).toBeGreaterThan(1_000);
    });

    test('what the system returns is read correctly', async () => {
      const { code, printed } = await make('read');
      expect(printed).toEqual([
        [
          {
            luid: ethernet,
            guid: '12345678-9abc-4def-8001-020304050607',
            alias: 'Ethernet 2',
            isUp: true,
            isLoopback: false,
            receivedBytes: '1250999896491n',
            sentBytes: '77n',
          },
          expect.objectContaining({
            luid: loopback,
            alias: '',
            isUp: false,
            isLoopback: true,
          }),
        ],
        [
          {
            luid: ethernet,
            family: 6,
            metric: 25,
            isMetricAutomatic: true,
            mtu: 1492,
            isConnected: true,
            ignoresDefaultRoutes: true,
          },
        ],
        [
          { luid: ethernet, address: '192.168.7.20', prefixLength: 24 },
          { luid: ethernet, address: '2001:db8:7::20', prefixLength: 64 },
        ],
        [
          { luid: ethernet, prefix: '0.0.0.0/0', nextHop: '192.168.7.1', metric: 5 },
          { luid: ethernet, prefix: '2001:db8:7::/64', metric: 256 },
        ],
        [
          { luid: ethernet, address: '192.168.7.1' },
          { luid: ethernet, address: '2001:db8:7::53' },
        ],
        [0, 200].map((number) => ({
          key: `000000${number.toString(16).padStart(2, '0')}-0000-0000-0000-000000000000`,
          sublayer: '00000007-0000-0000-0000-000000000000',
          layer: '00000009-0000-0000-0000-000000000000',
          action: 0x1001,
        })),
        [
          { kind: 'text', text: '10.9.0.53,2001:db8::53 ü' },
          { kind: 'texts', texts: ['.', '.corp.example'] },
          { kind: 'number', number: 0xfedcba98 },
        ],
        [['Rule'], null, null],
        ['deleted', 'absent'],
        ['deleted', 'absent', null],
      ]);
      expect(code).toBe(0);
    });

    test('watches call back from threads of the system, and end without waiting for each other', async () => {
      const { code, printed, lines } = await make('watch');
      expect(printed).toEqual(['ipHelper called back', 'filters called back', 'registry called back']);
      expect(code).toBe(0);
      expect(lines).toContainEqual({ call: 'FwpmFilterSubscribeChanges0', flags: 3, all: true });
    });
  },
);
