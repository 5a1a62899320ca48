import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followFile, type FollowedFile } from '../../../src/service/followed-file.ts';

let folder: string;
let file: string;
let problems: string[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-followed-'));
  file = path.join(folder, 'file.json');
  problems = [];
});
afterEach(() => rm(folder, { recursive: true }));

const follow = () =>
  followFile<unknown>(file, {
    read: (text) => (text === undefined ? undefined : JSON.parse(text)),
    onProblem: (problem) => problems.push(String(problem)),
  });

async function looks(followed: FollowedFile<unknown>, count: number): Promise<boolean[]> {
  const news: boolean[] = [];
  for (let i = 0; i < count; i += 1) news.push(await followed.look());
  return news;
}

test('a file that changes is read again once it stays as it is', async () => {
  await writeFile(file, '1');
  const followed = follow();
  await followed.open();
  expect(followed.content).toBe(1);
  expect(await looks(followed, 2)).toEqual([false, false]);
  await writeFile(file, '12');
  expect(await followed.look()).toBe(false);
  await writeFile(file, '123');
  expect(await followed.look()).toBe(false);
  expect(followed.content).toBe(1);
  expect(await looks(followed, 2)).toEqual([true, false]);
  expect(followed.content).toBe(123);
  expect(problems).toEqual([]);
});

test('a file of the same length and time is another one', async () => {
  await writeFile(file, '1');
  await utimes(file, 1, 1);
  const followed = follow();
  await followed.open();
  await writeFile(`${file}.new`, '2');
  await utimes(`${file}.new`, 1, 1);
  await rename(`${file}.new`, file);
  await looks(followed, 2);
  expect(followed.content).toBe(2);
});

test('a link that leads elsewhere is followed, as where a container’s settings are mounted', async () => {
  const write = async (name: string, content: string) => {
    await writeFile(path.join(folder, name), content);
    await symlink(name, `${file}.new`);
    await rename(`${file}.new`, file);
  };
  await write('one', '1');
  const followed = follow();
  await followed.open();
  await write('two', '2');
  await looks(followed, 2);
  expect(followed.content).toBe(2);
});

test('what cannot be used leaves what was there before, and is told once for each change', async () => {
  await writeFile(file, '1');
  const followed = follow();
  await followed.open();
  await writeFile(file, '{');
  expect(await looks(followed, 5)).toEqual([false, false, false, false, false]);
  expect(followed.content).toBe(1);
  expect(problems).toEqual([expect.stringContaining('JSON')]);
  await writeFile(file, '{ ');
  await looks(followed, 5);
  expect(problems).toHaveLength(2);
  await writeFile(file, '2');
  await looks(followed, 2);
  expect(followed.content).toBe(2);
});

test('a file that cannot be opened is told once, and read as soon as it can be', async () => {
  await writeFile(file, '1');
  const followed = follow();
  await followed.open();
  // A link to itself.
  await rm(file);
  await symlink(path.basename(file), file);
  await looks(followed, 3);
  expect(followed.content).toBe(1);
  expect(problems).toEqual([expect.stringContaining('ELOOP')]);
  await rm(file);
  await writeFile(file, '2');
  await looks(followed, 2);
  expect(followed.content).toBe(2);
});

test('a place that cannot be looked at is told each time that happens, as of a share that is away now and then', async () => {
  const share = path.join(folder, 'share');
  file = path.join(share, 'file.json');
  await mkdir(share);
  await writeFile(file, '1');
  const followed = follow();
  await followed.open();
  for (const time of [1, 2]) {
    await rename(share, `${share}.away`);
    // A link to itself.
    await symlink('share', share);
    await looks(followed, 3);
    expect(problems).toHaveLength(time);
    await rm(share);
    // The file is the one that it was.
    await rename(`${share}.away`, share);
    await looks(followed, 2);
  }
  expect(followed.content).toBe(1);
});

test('a file that may be missing is empty until it is there, and again once it is gone', async () => {
  const followed = follow();
  await followed.open();
  expect(followed.content).toBe(undefined);
  await writeFile(file, '1');
  await looks(followed, 2);
  expect(followed.content).toBe(1);
  await rm(file);
  expect(await followed.look()).toBe(false);
  expect(followed.content).toBe(1);
  expect(await followed.look()).toBe(true);
  expect(followed.content).toBe(undefined);
  expect(problems).toEqual([]);
});
