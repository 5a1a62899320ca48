import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createPackage } from '@electron/asar';
import type { ElectronFiles } from '../../../../packaging/desktop/electron-program.ts';
import { makeElectronProgram } from './electron-program.ts';

/** By these bytes Electron's fuses are found: https://www.electronjs.org/docs/latest/tutorial/fuses */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** Version 1, nine fuses, as Electron is shipped. */
export const unsetFuses = `${sentinel}\u0001\u0009101100111`;

/** The nine fuses in a binary. */
export function fuseWire(binary: Buffer): string {
  const at = binary.indexOf(sentinel) + sentinel.length + 2;
  return binary.toString('latin1', at, at + 9);
}

/**
 * A folder like that of Electron's binary, which could not be had here: its files' names, its fuses, and an archive in
 * the place of its own example, which electron-builder reads.
 */
export async function electronFiles(folder: string): Promise<ElectronFiles> {
  await mkdir(path.join(folder, 'resources'), { recursive: true });
  await mkdir(path.join(folder, 'locales'), { recursive: true });
  await writeFile(path.join(folder, 'electron'), `ELF${unsetFuses}`, { encoding: 'latin1', mode: 0o755 });
  for (const file of ['LICENSE', 'LICENSES.chromium.html', 'version', 'resources.pak', 'locales/en-US.pak'])
    await writeFile(path.join(folder, file), file);
  await writeFile(path.join(folder, 'chrome-sandbox'), 'sandbox', { mode: 0o755 });
  await createPackage(path.join(folder, 'locales'), path.join(folder, 'resources/default_app.asar'));
  return { folder, program: 'electron' };
}

/** A folder like that of Electron for Windows, whose program only notes that it was started. */
export async function electronFilesForWindows(folder: string): Promise<ElectronFiles> {
  const { program: linux } = await electronFiles(folder);
  await rm(path.join(folder, linux));
  makeElectronProgram(path.join(folder, 'electron.exe'));
  return { folder, program: 'electron.exe' };
}
