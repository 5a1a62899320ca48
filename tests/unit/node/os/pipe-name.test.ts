import { expect, test } from 'vitest';
import { pipeNamed } from '../../../../src/node/os/windows/pipe-name.ts';
import { lockOfFolder } from '../../../../src/node/os/process-lock.ts';

test('a pipe has the name that it is given, behind that of the folder of all pipes', () => {
  expect(pipeNamed('waymaker-1')).toBe('\\\\.\\pipe\\waymaker-1');
});

test('the locks of two folders are two, on each system', () => {
  for (const platform of ['linux', 'win32'] as const)
    expect(lockOfFolder('/a', 'downloads', platform)).not.toBe(lockOfFolder('/b', 'downloads', platform));
});
