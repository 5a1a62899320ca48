import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { createWindows, whyNoWindows } from '../../lab/windows/windows.ts';

/** Controls of the service control manager, which no other program can send: a double sends them, under wine. */

/** <winsvc.h>. */
const [ownProcess, startPending, stopPending, running, stopped] = [0x10, 2, 3, 4, 1];
const [stop, powerEvent, sessionChange, preshutdown] = [0x1, 0x40, 0x80, 0x100];

test.skipIf(whyNoWindows() !== undefined)(
  'the service hears of sleep, sessions and shutdown, renews its tunnel once after a sleep, and ends in order',
  async () => {
    await using windows = await createWindows();
    const library = path.join(windows.folder, 'service-double.dll');
    const source = path.join(import.meta.dirname, 'service-double.c');
    await run([
      'x86_64-w64-mingw32-gcc',
      '-O1',
      '-Wall',
      '-Wextra',
      '-Werror',
      '-shared',
      '-o',
      library,
      source,
    ]);
    await windows.bring(programFile('tests/helper/windows/service-driver.ts'), 'service-driver.mjs');
    const { code, output } = await windows.node('service-driver.mjs', [windows.path('service-double.dll')], {
      RECORD_FILE: windows.path('record.jsonl'),
    });
    expect(output).toBe('woken\ntold\n');
    expect(code).toBe(0);

    const lines = (await readFile(path.join(windows.folder, 'record.jsonl'), 'utf8')).trim().split('\n');
    const said = lines.map(
      (line) => JSON.parse(line) as { control?: string; answer?: number; state?: number },
    );
    const report = (state: number, more: object = {}) => ({
      state,
      type: ownProcess,
      accepts: 0,
      exit: 0,
      own: 0,
      wait: 0,
      ...more,
    });
    expect(said.filter(({ state }) => state !== undefined)).toEqual([
      report(startPending, { wait: 90_000 }),
      report(running, { accepts: stop | powerEvent | sessionChange | preshutdown }),
      report(stopPending, { wait: 30_000 }),
      report(stopped),
    ]);
    // ERROR_CALL_NOT_IMPLEMENTED for what the service has not asked for.
    expect(
      Object.fromEntries(said.flatMap(({ control, answer }) => (control ? [[control, answer]] : []))),
    ).toEqual({
      interrogate: 0,
      suspend: 0,
      battery: 0,
      resume: 0,
      'resume by a person': 0,
      'log on': 0,
      lock: 0,
      'log off': 0,
      pause: 120,
      unknown: 120,
      preshutdown: 0,
    });

    const log = await readFile(path.join(windows.drive, 'state/helper.log'), 'utf8');
    const messages = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { message: string; session?: number });
    expect(messages).toMatchObject([
      { message: 'the computer goes to sleep' },
      { message: 'somebody has logged on', session: 3 },
      { message: 'somebody has logged off', session: 3 },
      { message: 'the computer shuts down' },
    ]);
  },
);
