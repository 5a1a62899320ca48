import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { setFuses, wrongFuses } from '../../../packaging/desktop/fuses.ts';
import { windowsIcon } from '../../../packaging/windows/icon-file.ts';
import { describeProgram } from '../../../packaging/windows/program-details.ts';
import { makeElectronProgram } from './support/electron-program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-program-'));
afterAll(() => rmSync(folder, { recursive: true }));
const inFolder = (name: string) => path.join(folder, name);

/** The resources of a program, as binutils print them, which share nothing with what writes them. */
const resources = (program: string) =>
  execFileSync('x86_64-w64-mingw32-windres', ['-J', 'coff', '-O', 'rc', program], { encoding: 'latin1' });

/** What a version's details say, by their names. */
const details = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^ *VALUE "(\w+)", "([^"]*?)(?:\\000)*"/gm)].map(([, ...pair]) => pair),
  );

const count = (text: string, type: string) => text.split(`/* ${type} */`).length - 1;

const electron = inFolder('electron.exe');
makeElectronProgram(electron);
const detailsOf = async (version: string) => ({
  program: 'Waymaker.exe',
  version,
  icon: await windowsIcon(),
  archives: [],
});
const described = async (version: string, name = 'Waymaker.exe') => {
  const file = inFolder(name);
  copyFileSync(electron, file);
  await describeProgram(file, await detailsOf(version));
  return file;
};

test('a program gets our icon, name and version, and nothing of Electron’s is left', async () => {
  const before = resources(electron);
  expect(details(before)).toMatchObject({ CompanyName: 'GitHub, Inc.', SquirrelAwareVersion: '1' });
  expect(count(before, 'RT_ICON')).toBe(1);

  const file = await described('1.20.300');
  const after = resources(file);
  expect(details(after)).toEqual({
    CompanyName: 'Waymaker',
    FileDescription: 'Waymaker',
    FileVersion: '1.20.300',
    InternalName: 'Waymaker',
    LegalCopyright: 'MIT licence',
    OriginalFilename: 'Waymaker.exe',
    ProductName: 'Waymaker',
    ProductVersion: '1.20.300',
  });
  expect(after).not.toMatch(/GitHub|Electron/);
  expect(after).toMatch(/FILEVERSION 1, 20, 300, 0/);
  expect(after).toMatch(/PRODUCTVERSION 1, 20, 300, 0/);
  expect(count(after, 'RT_ICON')).toBe(7);
  // Where Electron's is, which Windows shows; and what the program asks for is as it was.
  for (const type of ['RT_GROUP_ICON', 'RT_MANIFEST']) expect(count(after, type), type).toBe(1);
  const icon = await windowsIcon();
  const bytes = readFileSync(file);
  for (let index = 0; index < icon.readUInt16LE(4); index += 1) {
    const [size, offset] = [icon.readUInt32LE(6 + 16 * index + 8), icon.readUInt32LE(6 + 16 * index + 12)];
    expect(bytes.includes(icon.subarray(offset, offset + size))).toBe(true);
  }
});

test('a program’s fuses stay as they are set, and the same details give the same bytes', async () => {
  const file = await described('1.2.3');
  expect((await wrongFuses(file, 'win32')).length).toBeGreaterThan(0);
  await setFuses(file, 'win32');
  await describeProgram(file, await detailsOf('1.2.4'));
  expect(await wrongFuses(file, 'win32')).toEqual([]);
  expect(
    readFileSync(await described('1.2.3')).equals(readFileSync(await described('1.2.3', 'again.exe'))),
  ).toBe(true);
});

test('a file that is no program, and one that is signed, are refused and left as they are', async () => {
  const file = inFolder('none.exe');
  writeFileSync(file, 'none');
  const given = await detailsOf('1.2.3');
  await expect(describeProgram(file, given)).rejects.toThrow();
  expect(readFileSync(file, 'latin1')).toBe('none');

  const [key, certificate] = [inFolder('key.pem'), inFolder('certificate.pem')];
  const made = ['-keyout', key, '-out', certificate, '-subj', '/CN=Publisher', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...made], { stdio: 'ignore' });
  const signed = inFolder('signed.exe');
  const words = ['sign', '-certs', certificate, '-key', key, '-in', electron, '-out', signed];
  execFileSync('osslsigncode', words);
  const bytes = readFileSync(signed);
  await expect(describeProgram(signed, given)).rejects.toThrow();
  expect(readFileSync(signed).equals(bytes)).toBe(true);
});
