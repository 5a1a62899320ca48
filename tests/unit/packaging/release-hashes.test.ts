import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installerName } from '../../../packaging/windows/installer.ts';
import { writeHashes } from '../../../packaging/release-hashes.ts';
import { exec, run, words } from '../../lab/runs/process.ts';
import { makeSampleDeb } from './support/sample-packages.ts';

let directory: string;
let folder: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-hashes-'));
  folder = path.join(directory, 'packages');
  await mkdir(path.join(folder, '.fetched'), { recursive: true });
  await writeFile(path.join(folder, 'one.json'), 'one');
  await writeFile(path.join(folder, 'two words.json'), 'two');
});
afterEach(() => rm(directory, { recursive: true }));

test('sha256sum and openssl accept the release’s hashes and their signature, until one byte differs', async () => {
  const pair = generateKeyPairSync('ed25519');
  const publicKey = path.join(directory, 'public.pem');
  await writeFile(publicKey, pair.publicKey.export({ format: 'pem', type: 'spki' }));
  await writeHashes(folder, pair.privateKey);
  const hashes = words('sha256sum --check --strict SHA256SUMS');
  const signature = [
    ...words('openssl pkeyutl -verify -rawin -pubin -in SHA256SUMS -sigfile SHA256SUMS.sig -inkey'),
    publicKey,
  ];
  expect(await run(hashes, { cwd: folder })).toBe('one.json: OK\ntwo words.json: OK\n');
  expect(await run(signature, { cwd: folder })).toContain('Verified Successfully');

  await writeFile(path.join(folder, 'one.json'), 'onE');
  expect((await exec(hashes, { cwd: folder })).code).toBe(1);
  const list = path.join(folder, 'SHA256SUMS');
  await writeFile(list, (await readFile(list, 'utf8')).replace('one', 'onE'));
  expect((await exec(signature, { cwd: folder })).code).toBe(1);
});

test('hashes that nobody signs have no signature of earlier ones beside them', async () => {
  await writeFile(path.join(folder, 'SHA256SUMS.sig'), 'earlier');
  expect(await writeHashes(folder, undefined)).toEqual([path.join(folder, 'SHA256SUMS')]);
  await expect(stat(path.join(folder, 'SHA256SUMS.sig'))).rejects.toThrow('ENOENT');
});

test('where there is no package, there are no hashes either', async () => {
  await writeHashes(folder, undefined);
  for (const name of ['one.json', 'two words.json']) await rm(path.join(folder, name));
  expect(await writeHashes(folder, undefined)).toEqual([]);
  expect(await readdir(folder)).toEqual(['.fetched']);
});

test('a package for tests, such as one that was made earlier, is not signed as a release', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  await makeSampleDeb(directory, folder, '1.0', 'For tests only: a sample');
  await expect(writeHashes(folder, privateKey)).rejects.toThrow(
    'waymaker-sample_1.0_amd64.deb is for tests only',
  );
  expect(await readdir(folder)).not.toContain('SHA256SUMS.sig');
  await makeSampleDeb(directory, folder, '1.0', 'a sample');
  expect(await writeHashes(folder, privateKey)).toHaveLength(2);
});

test('an installer for tests, which says so in its name, is not signed as a release either', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const name = (isTest: boolean) => path.join(folder, installerName('1.0.0', 'x64', { isTest }));
  await writeFile(name(true), 'an installer');
  await expect(writeHashes(folder, privateKey)).rejects.toThrow(
    'waymaker-core-1.0.0-x64-for-tests.exe is for tests only',
  );
  await rename(name(true), name(false));
  expect(await writeHashes(folder, privateKey)).toHaveLength(2);
});
