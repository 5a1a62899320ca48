import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createBoundedLog } from '../../../helper/bounded-log.ts';
import { createLaunchdLog } from '../../../helper/macos/launchd-log.ts';

const mebibyte = 1024 * 1024;
let file: string;
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = path.join(folder, 'helper.log');
});

const lineOf = (number: number) => `${String(number).padStart(6, '0')} ${'x'.repeat(1016)}\n`;
const numbersIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => Number(line.slice(0, 6)));
const contentOf = (name: string) => numbersIn(readFileSync(name, 'utf8'));
const sequence = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

const createLog = () =>
  createBoundedLog({
    path: file,
    size: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    append: (line) => appendFileSync(file, line),
    empty: () => truncateSync(file),
  });

function writeLines(write: (line: string) => void, count: number): void {
  for (let number = 0; number < count; number += 1) write(lineOf(number));
}

test('a log goes on in the same file, and what was in it before is beside it', () => {
  writeLines(createLog(), 2_500);
  const [earlier, now] = [contentOf(`${file}.1`), contentOf(file)];
  expect([...earlier, ...now]).toEqual(
    sequence(2_500 - earlier.length - now.length, earlier.length + now.length),
  );
  expect(now.length).toBeGreaterThan(0);
  expect(statSync(`${file}.1`).size).toBeLessThan(1.1 * mebibyte);
});

test('no line is lost while its earlier part cannot be put beside it, until it is far too long', () => {
  mkdirSync(path.join(`${file}.1`, 'held'), { recursive: true });
  const write = createLog();
  writeLines(write, 3_000);
  expect(contentOf(file)).toEqual(sequence(0, 3_000));
  writeLines(write, 12_000);
  expect(statSync(file).size).toBeLessThan(9 * mebibyte);
  rmSync(`${file}.1`, { recursive: true });
  write(lineOf(7));
  expect(contentOf(file)).toEqual([7]);
});

test('the file that launchd has open is emptied and goes on, and a terminal and another file are left alone', () => {
  const opened = openSync(file, 'a');
  const { ino } = statSync(file);
  const write = createLaunchdLog((line) => void writeSync(opened, line), { file, descriptor: opened });
  writeLines(write, 2_500);
  expect(statSync(file)).toMatchObject({ ino });
  expect(statSync(file).size).toBeLessThan(1.1 * mebibyte);
  expect(contentOf(file).at(-1)).toBe(2_499);
  const other = `${file}.other`;
  const elsewhere = openSync(other, 'a');
  writeLines(
    createLaunchdLog((line) => void writeSync(elsewhere, line), { file, descriptor: elsewhere }),
    2_500,
  );
  expect(contentOf(other)).toHaveLength(2_500);
});
