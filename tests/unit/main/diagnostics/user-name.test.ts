import os from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { userName } from '../../../../src/main/diagnostics/user-name.ts';

afterEach(() => void vi.restoreAllMocks());

test('a user is called what the account says, whatever the environment says', () => {
  expect(userName({ LOGNAME: 'somebody-else' })).toBe(os.userInfo().username);
});

test('a user without an account is called what the environment says', () => {
  vi.spyOn(os, 'userInfo').mockImplementation(() => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT');
  });
  expect(userName({ LOGNAME: 'DOMAIN\\ada' })).toBe('DOMAIN\\ada');
  expect(userName({ USER: 'ada' })).toBe('ada');
  expect(userName({})).toBe('');
});
