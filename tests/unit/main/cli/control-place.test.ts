import { homedir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { defaultProfile } from '../../../../src/main/control/control-place.ts';

test('finds the same data folder from wherever it is asked', () => {
  const usual = path.join(homedir(), '.config/Waymaker');
  for (const folder of [undefined, '', 'relative', './relative'])
    expect(defaultProfile({ env: { XDG_CONFIG_HOME: folder }, platform: 'linux' })).toBe(usual);
  expect(defaultProfile({ env: { XDG_CONFIG_HOME: '/etc/other' }, platform: 'linux' })).toBe(
    '/etc/other/Waymaker',
  );
});
