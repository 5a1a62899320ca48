import { expect, test } from 'vitest';
import { parseOptions } from '../../../helper/options.ts';
import { groupName as posixGroup } from '../../../helper/posix/group-name.ts';
import { groupName as windowsGroup, windowsOptions } from '../../../helper/windows/windows-options.ts';

const groupOf = (name: string, groupName: RegExp) =>
  parseOptions(['--allow-group', name], {
    usual: { socket: '/socket', stateDirectory: '/state', allowedGroup: 'waymaker' },
    groupName,
    further: windowsOptions,
  }).allowedGroup;

test.each([
  ['POSIX', 'waymaker', posixGroup],
  ['POSIX', '_vpn-2', posixGroup],
  ['Windows', 'interactive', windowsGroup],
  ['Windows', 'Remote Desktop Users', windowsGroup],
  ['Windows', 'EXAMPLE\\VPN-Benutzer (Büro)', windowsGroup],
])('a group of %s may be called %o', (_, name, form) => {
  expect(groupOf(name, form)).toBe(name);
});

test.each([
  ['POSIX', 'Remote Desktop Users', posixGroup],
  ['POSIX', '', posixGroup],
  ['Windows', '', windowsGroup],
  ['Windows', 'a\\b\\c', windowsGroup],
  ['Windows', 'everybody;*', windowsGroup],
  ['Windows', 'a\0b', windowsGroup],
])('none of %s is called %o', (_, name, form) => {
  expect(() => groupOf(name, form)).toThrow('not the name of a group');
});
