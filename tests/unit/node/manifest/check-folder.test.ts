import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signFolder } from '../../../../packaging/manifest/sign-folder.ts';
import {
  checkFile,
  checkFolder,
  findReplaced,
  type ExpectedFolder,
} from '../../../../src/node/manifest/check-folder.ts';
import { compareVersions, readManifest } from '../../../../src/node/manifest/manifest.ts';

const product = 'waymaker-core';
const newKey = () => generateKeyPairSync('ed25519').privateKey;
const [first, second, foreign] = [newKey(), newKey(), newKey()];
const publicOf = (key: KeyObject) => createPublicKey(key);
const trusted = [publicOf(first), publicOf(second)];

const contents = {
  node: 'a runtime',
  'helper/helper.mjs': 'a helper',
  'helper/proxy.mjs': 'a proxy',
  'app/cli.js': 'a command line',
  'node_modules/koffi/index.js': 'native calls',
};

let folder: string;

beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'waymaker-manifest-')), 'tree');
  await lay();
});

afterEach(async () => {
  await rm(path.dirname(folder), { recursive: true, force: true });
});

async function lay(options: Partial<Parameters<typeof signFolder>[0]> = {}): Promise<void> {
  for (const [name, content] of Object.entries(contents)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await signFolder({ folder, product, version: '1.2.3', privateKeys: [first], ...options });
}

const check = (options: Partial<ExpectedFolder> = {}) =>
  checkFolder({ folder, product, trusted, floor: undefined, ...options });

async function problem(options: Partial<ExpectedFolder> = {}) {
  const checked = await check(options);
  return checked.ok ? undefined : checked.problem;
}

/** Another content of the same length. */
async function flip(name: string, at = 0): Promise<void> {
  const file = path.join(folder, name);
  const content = await readFile(file);
  content[at] = (content[at] ?? 0) ^ 1;
  await writeFile(file, content);
}

test('what was signed is accepted, by either of two keys', async () => {
  expect(await check()).toMatchObject({ ok: true, manifest: { version: '1.2.3' } });
  await lay({ privateKeys: [second] });
  expect((await check()).ok).toBe(true);
  // While one of them is being retired, by both.
  await lay({ privateKeys: [foreign, second] });
  expect((await check()).ok).toBe(true);
});

test.each(Object.keys(contents))('a flipped byte of %s is found', async (name) => {
  await flip(name, 3);
  expect(await problem()).toEqual({ kind: 'changed', path: name });
});

test('a file that is longer, shorter, missing, or that nobody signed is found', async () => {
  await writeFile(path.join(folder, 'node'), 'a runtime and more');
  expect(await problem()).toEqual({ kind: 'changed', path: 'node' });
  await truncate(path.join(folder, 'node'), 2);
  expect(await problem()).toEqual({ kind: 'changed', path: 'node' });
  await unlink(path.join(folder, 'node'));
  expect(await problem()).toEqual({ kind: 'missing', path: 'node' });
  await lay();
  await writeFile(path.join(folder, 'helper/preload.mjs'), '');
  expect(await problem()).toEqual({ kind: 'unknown', path: 'helper/preload.mjs' });
});

test('no link is followed: not to the same content, and not as a folder', async () => {
  const file = path.join(folder, 'helper/helper.mjs');
  await rename(file, path.join(path.dirname(folder), 'elsewhere.mjs'));
  await symlink('../../elsewhere.mjs', file);
  expect(await problem()).toEqual({ kind: 'not-a-file', path: 'helper/helper.mjs' });
  await unlink(file);
  await lay();
  await rename(path.join(folder, 'app'), path.join(path.dirname(folder), 'app'));
  await symlink('../app', path.join(folder, 'app'));
  expect(await problem()).toMatchObject({ kind: 'unknown', path: 'app' });
});

test('a manifest in the place of a link is not read', async () => {
  const file = path.join(folder, 'manifest.json');
  await rename(file, path.join(path.dirname(folder), 'manifest.json'));
  await symlink('../manifest.json', file);
  expect(await problem()).toEqual({ kind: 'unsigned' });
});

describe('a signature', () => {
  test('by a key that nobody trusts, or no longer, is refused', async () => {
    await lay({ privateKeys: [foreign] });
    expect(await problem()).toEqual({ kind: 'foreign-key' });
    await lay({ privateKeys: [second] });
    expect(await problem({ trusted: [publicOf(first)] })).toEqual({ kind: 'foreign-key' });
  });

  test('of another manifest is refused, and so is a changed one', async () => {
    await flip('manifest.json', 40);
    expect(await problem()).toEqual({ kind: 'wrong-signature' });
    await lay();
    const old = await readFile(path.join(folder, 'manifest.sig'));
    await lay({ version: '1.2.4' });
    await writeFile(path.join(folder, 'manifest.sig'), old);
    expect(await problem()).toEqual({ kind: 'wrong-signature' });
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'signed, believe me'],
    ['no list', '{"signatures":{}}'],
    ['an empty list', '{"signatures":[]}'],
    ['too much', ' '.repeat(20_000)],
  ])('that holds %s leaves the folder unsigned', async (_what, text) => {
    await writeFile(path.join(folder, 'manifest.sig'), text);
    expect(await problem()).toEqual({ kind: 'unsigned' });
  });

  test('is asked for: without one, and without a manifest, the folder is unsigned', async () => {
    await unlink(path.join(folder, 'manifest.sig'));
    expect(await problem()).toEqual({ kind: 'unsigned' });
    await lay();
    await unlink(path.join(folder, 'manifest.json'));
    expect(await problem()).toEqual({ kind: 'unsigned' });
  });
});

test('what was signed as another product is refused', async () => {
  await lay({ product: 'waymaker' });
  expect(await problem()).toEqual({ kind: 'other-product', product: 'waymaker' });
});

test('older than the floor is refused, the floor itself and newer ones are not', async () => {
  expect(await problem({ floor: '1.2.3' })).toBeUndefined();
  expect(await problem({ floor: '1.1.9' })).toBeUndefined();
  expect(await problem({ floor: '1.10.0' })).toEqual({ kind: 'too-old', version: '1.2.3', floor: '1.10.0' });
});

test('a manifest of a gigabyte is not read', async () => {
  await truncate(path.join(folder, 'manifest.json'), 1e9);
  const before = process.memoryUsage().rss;
  expect(await problem()).toEqual({ kind: 'unsigned' });
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
});

test('what is checked later is looked for now, and its content then', async () => {
  const later = new Set(['node']);
  await flip('node');
  const checked = await check({ later });
  expect(checked.ok).toBe(true);
  const node = checked.ok && checked.manifest.files.find((file) => file.path === 'node');
  expect(node && (await checkFile(folder, node))).toEqual({ kind: 'changed', path: 'node' });
  await unlink(path.join(folder, 'node'));
  expect(await problem({ later })).toEqual({ kind: 'missing', path: 'node' });
});

test('after the check, a file that another one replaces is found, unless it is the same again', async () => {
  const checked = await check();
  if (!checked.ok) throw new Error('nothing is wrong with it');
  const look = (isStrict = false) => findReplaced(folder, checked.manifest, checked.seen, { isStrict });
  expect(look(true)).toBeUndefined();
  const file = path.join(folder, 'helper/proxy.mjs');
  await writeFile(`${file}.new`, 'a proxy');
  await rename(`${file}.new`, file);
  expect(look(true)).toEqual({ kind: 'changed', path: 'helper/proxy.mjs' });
  expect(look()).toBeUndefined();
  expect(look(true)).toBeUndefined();
  await writeFile(file, 'a foxy!');
  expect(look()).toEqual({ kind: 'changed', path: 'helper/proxy.mjs' });
  await unlink(file);
  expect(look()).toEqual({ kind: 'missing', path: 'helper/proxy.mjs' });
  await symlink('helper.mjs', file);
  expect(look()).toEqual({ kind: 'not-a-file', path: 'helper/proxy.mjs' });
});

describe('a manifest', () => {
  const file = { path: 'a', size: 1, sha256: '0'.repeat(64) };
  const manifest = { format: 1, product, version: '1.0.0', files: [file] };

  test.each<[string, object]>([
    ['of a later format', { format: 2 }],
    ['with more than it should have', { more: true }],
    ['with a version that is none', { version: '1.0' }],
    ['without files', { files: [] }],
    ['with a file twice', { files: [file, file] }],
    ['out of order', { files: [{ ...file, path: 'b' }, file] }],
    ['with a negative size', { files: [{ ...file, size: -1 }] }],
    ['with a short hash', { files: [{ ...file, sha256: '00' }] }],
  ])('%s is none', (_what, change) => {
    expect(readManifest(JSON.stringify({ ...manifest, ...change }))).toBeUndefined();
  });

  test.each(['/etc/passwd', '../a', 'a/../../b', './a', 'a//b', 'a\\b', 'a\u0000b', 'a/', ''])(
    'that names %j is none',
    (name) => {
      const files = [{ ...file, path: name }];
      expect(readManifest(JSON.stringify({ ...manifest, files }))).toBeUndefined();
    },
  );

  test('that holds what it should is read', () => {
    expect(readManifest(JSON.stringify(manifest))).toEqual(manifest);
  });
});

test('versions are compared number by number', () => {
  expect(['1.10.0', '1.9.9', '0.30.2', '1.9.10'].toSorted(compareVersions)).toEqual([
    '0.30.2',
    '1.9.9',
    '1.9.10',
    '1.10.0',
  ]);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
});

test('what an interrupted package manager leaves beside its files is no problem, by any other name it is', async () => {
  for (const name of ['node.dpkg-new', 'node.dpkg-tmp', 'helper/proxy.mjs;5f3a2b1c']) {
    await writeFile(path.join(folder, name), 'half of it');
    expect(await problem(), name).toBeUndefined();
  }
  for (const name of ['other.dpkg-new', 'node.new', 'node;5f3a2b1']) {
    await writeFile(path.join(folder, name), 'half of it');
    expect(await problem(), name).toEqual({ kind: 'unknown', path: name });
    await unlink(path.join(folder, name));
  }
});
