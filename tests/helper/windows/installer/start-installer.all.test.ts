import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually, run } from '../../../lab/runs/process.ts';
import { programFile } from '../../../lab/runs/programs.ts';
import { createWindows, whyNoWindows, type Windows } from '../../../lab/windows/windows.ts';

async function say(windows: Windows, ...words: string[]): Promise<unknown> {
  const { output } = await windows.node('installer-driver.mjs', words);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '');
}

test.skipIf(whyNoWindows() !== undefined)(
  'an installer has been started once it has begun, it is known while it runs, and no second one is started beside it',
  async () => {
    await using windows = await createWindows();
    const source = path.join(import.meta.dirname, 'installer-double.c');
    const double = path.join(windows.folder, 'installer-double.exe');
    await run(['x86_64-w64-mingw32-gcc', '-O1', '-mwindows', '-o', double, source]);
    await windows.bring(
      programFile('tests/helper/windows/installer/installer-driver.ts'),
      'installer-driver.mjs',
    );
    const installer = windows.path('installer-double.exe');
    const inFolder = (name: string) => path.join(windows.folder, name);
    const lock = path.join(windows.drive, 'Program Files/Waymaker.lock');

    expect(await say(windows)).toBe(false);
    expect(await say(windows, windows.path('absent.exe'))).toEqual(['not-started', false]);
    await writeFile(inFolder('refuse'), '');
    expect(await say(windows, installer)).toEqual(['not-started', true]);
    await rm(inFolder('refuse'));

    expect(await say(windows, installer)).toEqual(['started', true]);
    expect(await say(windows)).toBe(true);
    expect(await say(windows, installer)).toEqual(['running', false]);
    await writeFile(inFolder('end'), '');
    await eventually('it has ended', () => !existsSync(lock) || undefined);
    expect(await say(windows)).toBe(false);
    // As a power cut leaves it.
    await writeFile(lock, '');
    expect(await say(windows)).toBe(false);
  },
);
