import { expect, test } from 'vitest';
import { changedPath } from '../../../../helper/windows/service/machine-path.ts';

const bin = String.raw`C:\Program Files\Waymaker\bin`;

test('a folder is added to the variable once, at its end', () => {
  expect(changedPath('', 'add', bin)).toBe(bin);
  expect(changedPath(String.raw`%SystemRoot%;C:\x`, 'add', bin)).toBe(`%SystemRoot%;C:\\x;${bin}`);
  expect(changedPath(String.raw`C:\x;`, 'add', bin)).toBe(`C:\\x;${bin}`);
  for (const there of [bin, `${bin}\\`, bin.toUpperCase()])
    expect(changedPath(`C:\\x;${there};C:\\y`, 'add', bin)).toBe(`C:\\x;${there};C:\\y`);
});

test('removing it leaves all others as they were, also empty ones', () => {
  expect(changedPath(`C:\\x;;${bin};C:\\y;`, 'remove', bin)).toBe(String.raw`C:\x;;C:\y;`);
  expect(changedPath(String.raw`C:\x;;`, 'remove', bin)).toBe(String.raw`C:\x;;`);
  expect(changedPath(`${bin};${bin}\\`, 'remove', bin)).toBe('');
});
