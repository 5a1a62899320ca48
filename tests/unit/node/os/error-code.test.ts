import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasErrorCode } from '#node/os/error-code.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('an error of the system has the name of its cause', () => {
  const absent = thrownBy(() => readFileSync('/nonexistent/file'));
  expect(hasErrorCode(absent, 'ENOENT')).toBe(true);
  expect(hasErrorCode(absent, 'EPERM', 'ENOENT')).toBe(true);
  expect(hasErrorCode(absent, 'EPERM', 'EROFS')).toBe(false);
});

test.each([new Error('ENOENT'), { code: 'ENOENT' }, 'ENOENT', undefined, null])(
  '%o is no error with a code',
  (value) => {
    expect(hasErrorCode(value, 'ENOENT', 'undefined')).toBe(false);
  },
);
