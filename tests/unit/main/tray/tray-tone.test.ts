import { expect, test } from 'vitest';
import { trayTone } from '../../../../src/main/tray/tray-tone.ts';

const light = { shouldUseDarkColors: false, shouldUseDarkColorsForSystemIntegratedUI: false };
const darkBar = { ...light, shouldUseDarkColorsForSystemIntegratedUI: true };
const darkWindows = { ...light, shouldUseDarkColors: true };
const desktop = (names: string) => ({ XDG_CURRENT_DESKTOP: names });

test.each([
  ['macOS colours its menu bar itself', darkBar, {}, 'darwin', 'template'],
  ['a light bar of Windows', darkWindows, {}, 'win32', 'on-light'],
  ['a dark bar of Windows', darkBar, {}, 'win32', 'on-dark'],
  ['a desktop of Linux says nothing of Windows', light, desktop('GNOME'), 'win32', 'on-light'],
  ['KDE follows its theme', darkBar, desktop('KDE'), 'linux', 'on-light'],
  ['KDE in the dark', darkWindows, desktop('KDE'), 'linux', 'on-dark'],
  ['the bar of GNOME is always dark', light, desktop('ubuntu:GNOME'), 'linux', 'on-dark'],
  ['a desktop without a name', light, {}, 'linux', 'on-light'],
] as const)('%s', (_, theme, env, platform, tone) => {
  expect(trayTone(theme, env, platform)).toBe(tone);
});
