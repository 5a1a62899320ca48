import { app } from 'electron';
import { isStartedAtLogin, systemLoginItem } from '../login-item/system-login-item.ts';
import type { LoginItem } from '../preferences/behaviour.ts';
import { openAppLink } from './lockdown.ts';

export const startsHidden = (): boolean => isStartedAtLogin(process.argv, app);

/** Undefined for an app that is not installed: the next login would start it from a developer's folder. */
export function installedLoginItem(): LoginItem | undefined {
  if (!app.isPackaged) return undefined;
  const { env, execPath } = process;
  // The program inside an AppImage is in a folder that only exists while it runs.
  const program = { file: env['APPIMAGE'] ?? execPath, env, home: app.getPath('home') };
  return systemLoginItem(program, app, openAppLink);
}
