import { expect, test } from 'vitest';
import { updatesFolder } from '../../../../src/main/control/updates-folder.ts';

test('downloads are in the profile, but for one of Windows that follows its user to other computers', () => {
  const env = { APPDATA: '/server/ada/Roaming', LOCALAPPDATA: '/Users/ada/Local' };
  const windows = { env, platform: 'win32' } as const;
  expect(updatesFolder('/server/ada/Roaming/Waymaker', windows)).toBe('/Users/ada/Local/Waymaker/updates');
  // One that the user has named stays what it is.
  expect(updatesFolder('/profiles/second', windows)).toBe('/profiles/second/updates');
  for (const platform of ['darwin', 'linux'] as const)
    expect(updatesFolder('/home/ada/.config/waymaker', { env: {}, platform })).toBe(
      '/home/ada/.config/waymaker/updates',
    );
});
