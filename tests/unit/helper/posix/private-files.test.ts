import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { privateFiles } from '../../../../helper/posix/private-files.ts';

const content = Buffer.from('0123456789abcdef');

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'waymaker-private-'));
  file = path.join(folder, 'key');
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = () => privateFiles.read(file, content.length);

test('what was created is read again, and nobody else may open it', async () => {
  const before = process.umask(0);
  try {
    await privateFiles.create(file, content);
  } finally {
    process.umask(before);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await read()).toEqual(content);
  await expect(privateFiles.create(file, content)).rejects.toMatchObject({ code: 'EEXIST' });
});

test('a file that is not there is absent', async () => {
  expect(await read()).toBe('absent');
});

const damages: [string, () => void][] = [
  ['its group could read', () => chmodSync(file, 0o640)],
  ['others could write', () => chmodSync(file, 0o602)],
  ['has another length', () => writeFileSync(file, 'short')],
  [
    'is a link',
    () => {
      writeFileSync(`${file}.target`, content, { mode: 0o600 });
      rmSync(file);
      symlinkSync(`${file}.target`, file);
    },
  ],
  [
    'is a folder',
    () => {
      rmSync(file);
      mkdirSync(file, { mode: 0o700 });
    },
  ],
];

test.each(damages)('a file that %s is not used', async (_, damage) => {
  await privateFiles.create(file, content);
  damage();
  expect(await read()).toBe('unusable');
});

test.runIf(process.getuid?.() === 0)('a file of another user is not used', async () => {
  await privateFiles.create(file, content);
  chownSync(file, 64_952, 0);
  expect(await read()).toBe('unusable');
});
