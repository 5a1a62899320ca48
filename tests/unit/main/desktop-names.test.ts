import { expect, test } from 'vitest';
import { desktopNames } from '../../../src/main/linux/desktop-names.ts';

test.each([
  [{ XDG_CURRENT_DESKTOP: 'Budgie:GNOME' }, ['budgie', 'gnome']],
  [{ XDG_CURRENT_DESKTOP: ':KDE:' }, ['kde']],
  [{ XDG_CURRENT_DESKTOP: 'Deepin', DESKTOP_SESSION: 'gnome' }, ['dde']],
  [{ XDG_CURRENT_DESKTOP: '', XDG_SESSION_DESKTOP: 'plasmax11' }, ['kde']],
  [{ DESKTOP_SESSION: '/usr/share/xsessions/plasma' }, ['kde']],
  [{ KDE_FULL_SESSION: 'true', DESKTOP_SESSION: 'default' }, ['kde']],
  [{ DESKTOP_SESSION: 'ubuntu' }, ['gnome']],
  [{ GNOME_DESKTOP_SESSION_ID: 'this-is-deprecated' }, ['gnome']],
  [{ DESKTOP_SESSION: 'xubuntu' }, ['xubuntu']],
  [{}, []],
])('%j is %j', (env, names) => {
  expect(desktopNames(env)).toEqual(names);
});
