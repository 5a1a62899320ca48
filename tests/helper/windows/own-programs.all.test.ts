import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { createWindows, whyNoWindows, type Windows } from '../../lab/windows/windows.ts';

/** How the app and the command line use Windows' own programs, and what they ask Windows instead. */

const driver = (windows: Windows) =>
  windows.bring(programFile('tests/helper/windows/system-driver.ts'), 'system-driver.mjs');

async function say(windows: Windows, ...words: string[]): Promise<string> {
  const { output } = await windows.node('system-driver.mjs', words);
  return output.trim();
}

/** The service ends with this code. */
async function endWith(windows: Windows, code: number): Promise<void> {
  const program = `${windows.path('node.exe')} ${windows.path('system-driver.mjs')} end ${code}`;
  await windows.run(['sc', 'delete', 'Waymaker']);
  await windows.run(['sc', 'create', 'Waymaker', 'binPath=', program]);
  await windows.run(['sc', 'start', 'Waymaker']);
  await eventually('the service has ended', async () => {
    const { output } = await windows.run(['sc', 'query', 'Waymaker']);
    return /STATE\s+: 1\s/.test(output) || undefined;
  });
}

/** A program that somebody has put where a command is typed, in the place of one of Windows' own. */
async function plant(windows: Windows, name: string): Promise<() => boolean> {
  await windows.bring(path.join(windows.folder, 'node.exe'), name);
  await writeFile(
    path.join(windows.folder, 'query'),
    "require('node:fs').writeFileSync('planted', '1');\nconsole.log('SERVICE_EXIT_CODE : 78');\n",
  );
  return () => existsSync(path.join(windows.folder, 'planted'));
}

test.skipIf(whyNoWindows() !== undefined)(
  'with what the helper has ended is known in every language, and no program of the current folder is asked',
  async () => {
    await using windows = await createWindows();
    await driver(windows);
    const hasRun = await plant(windows, 'sc.exe');
    expect(await say(windows, 'refused')).toBe('false');
    expect(await say(windows, 'run', 'sc.exe', 'query', 'Waymaker')).not.toContain('78');
    expect(hasRun()).toBe(false);
    await endWith(windows, 78);
    expect(await say(windows, 'refused')).toBe('true');
    await endWith(windows, 1);
    expect(await say(windows, 'refused')).toBe('false');
    expect(hasRun()).toBe(false);
    // The same program runs where it is named by its path.
    await windows.node('system-driver.mjs', ['run', windows.path('sc.exe'), 'query', 'Waymaker']);
    expect(hasRun()).toBe(true);
  },
);

test.skipIf(whyNoWindows() !== undefined)(
  'a program that the app runs has a terminal without a window',
  async () => {
    await using windows = await createWindows();
    await driver(windows);
    await windows.bring(path.join(import.meta.dirname, 'terminal-of-program.mjs'));
    const words = [windows.path('node.exe'), windows.path('terminal-of-program.mjs')];
    expect(await say(windows, 'run', ...words)).toBe('true');
  },
);
