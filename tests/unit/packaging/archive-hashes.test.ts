import { appendFileSync, copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPackage } from '@electron/asar';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wrongFuses } from '../../../packaging/desktop/fuses.ts';
import { archiveHashes } from '../../../packaging/windows/archive-hashes.ts';
import { windowsIcon } from '../../../packaging/windows/icon-file.ts';
import { describeProgram } from '../../../packaging/windows/program-details.ts';
import { layProgram } from '../../../packaging/windows/window-folder.ts';
import { complaintOfElectron } from './support/electron-check.ts';
import { electronFilesForWindows } from './support/electron-files.ts';

/** How Electron for Windows finds in its own program what its archive of the app has to be. */

let folder: string;
/** An installation, which tests copy. */
let laid: string;
const app = () => path.join(folder, 'app');
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-archive-'));
  const electron = await electronFilesForWindows(path.join(folder, 'electron'));
  await mkdir(path.join(app(), 'out/main'), { recursive: true });
  await writeFile(path.join(app(), 'package.json'), '{"main":"out/main/index.js"}');
  // Of two blocks, of a single byte, and of none.
  await writeFile(path.join(app(), 'out/main/index.js'), Buffer.alloc(4_200_001, 'app '));
  await writeFile(path.join(app(), 'out/main/one'), '1');
  await writeFile(path.join(app(), 'out/main/none'), '');
  // The system loads these from files.
  await writeFile(path.join(app(), 'out/main/native.node'), 'native');
  laid = path.join(folder, 'laid');
  await layProgram(laid, { electron, app: app(), version: '1.2.3' });
});
afterAll(() => rm(folder, { recursive: true }));

let copies = 0;
function installation(): { program: string; archive: string; at: (file: string) => string } {
  const copy = path.join(folder, `copy-${(copies += 1)}`);
  cpSync(laid, copy, { recursive: true });
  const at = (file: string) => path.join(copy, file);
  return { program: at('Waymaker.exe'), archive: at('resources/app.asar'), at };
}

test('the program has the hash of its archive, which has those of all its files, and compares them', async () => {
  const { program, at } = installation();
  expect(complaintOfElectron(program)).toBeUndefined();
  expect(await wrongFuses(program, 'win32')).toEqual([]);
  expect(readFileSync(at('resources/app.asar.unpacked/out/main/native.node'), 'latin1')).toBe('native');
});

test('a file in the archive that was changed is noticed, wherever in it', () => {
  for (const marked of ['app app ', '{"main":"out']) {
    const { program, archive } = installation();
    const bytes = readFileSync(archive);
    const place = bytes.lastIndexOf(marked);
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
    writeFileSync(archive, bytes);
    expect(complaintOfElectron(program)).toMatch(/^\/.*(?:index\.js|package\.json) in resources\/app\.asar$/);
  }
});

test('another archive in the place of the app’s is noticed, and one beside it', async () => {
  const { program, archive, at } = installation();
  copyFileSync(archive, at('resources/other.asar'));
  expect(complaintOfElectron(program)).toBe('no hash for resources/other.asar');
  await rm(at('resources/other.asar'));
  const other = path.join(folder, 'other');
  cpSync(app(), other, { recursive: true });
  appendFileSync(path.join(other, 'package.json'), ' ');
  await createPackage(other, archive);
  expect(complaintOfElectron(program)).toBe('the header of resources/app.asar');
});

test('a program has only the hashes of the last time it was described, and Electron’s own has none', async () => {
  const { program, archive, at } = installation();
  expect(complaintOfElectron(path.join(folder, 'electron/electron.exe'))).toBe('FindResource failed');
  await createPackage(path.join(folder, 'electron/locales'), archive);
  copyFileSync(archive, at('resources/second.asar'));
  const archives = archiveHashes(at('.'));
  const icon = await windowsIcon();
  await describeProgram(program, { program: 'Waymaker.exe', version: '1.2.4', icon, archives });
  // In the form of Windows' paths, wherever the package is made.
  const files = archives.map(({ file }) => file);
  expect(files).toEqual([String.raw`resources\app.asar`, String.raw`resources\second.asar`]);
  expect(complaintOfElectron(program)).toBeUndefined();
});
