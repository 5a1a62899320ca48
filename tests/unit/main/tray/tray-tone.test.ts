import { expect, test } from 'vitest';
import { trayTone } from '../../../../src/main/tray/tray-tone.ts';

test.each([
  ['macOS colours its menu bar itself', { platform: 'darwin', isDark: true }, 'template'],
  ['a light bar of Windows', { platform: 'win32', isDark: false }, 'on-light'],
  ['a dark bar of Windows', { platform: 'win32', isDark: true }, 'on-dark'],
  ['KDE follows its theme', { platform: 'linux', desktops: ['kde'], isDark: false }, 'on-light'],
  ['KDE in the dark', { platform: 'linux', desktops: ['kde'], isDark: true }, 'on-dark'],
  [
    'the bar of GNOME is always dark',
    { platform: 'linux', desktops: ['ubuntu', 'gnome'], isDark: false },
    'on-dark',
  ],
  ['a desktop without a name', { platform: 'linux', isDark: false }, 'on-light'],
] as const)('%s', (_, where, tone) => {
  expect(trayTone(where)).toBe(tone);
});
