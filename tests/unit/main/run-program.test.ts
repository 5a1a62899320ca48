import { expect, test } from 'vitest';
import { createRunProgram } from '../../../src/main/run-program.ts';

const run = createRunProgram();

test('what a program prints is given, with its arguments as they are', async () => {
  expect(await run('printf', ['%s\n', '$HOME; "a b"'])).toBe('$HOME; "a b"');
  expect(await run('printenv', ['WAYMAKER_TEST'], { WAYMAKER_TEST: 'one' })).toBe('one');
});

test('a program that is not installed is told apart from one that fails', async () => {
  expect(await run('waymaker-no-such-program', [])).toBeUndefined();
  await expect(run('ls', ['/nonexistent'])).rejects.toThrow(/^ls failed: .*nonexistent/);
});

test('a program that does not end is ended', async () => {
  await expect(createRunProgram({ timeLimitMs: 50 })('sleep', ['600'])).rejects.toThrow('sleep failed');
});
