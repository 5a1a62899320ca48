import type { LoginItem } from '../preferences/behaviour.ts';
import type { ElectronLoginItem } from './electron-login-item.ts';
import { createAutostart } from './linux/autostart.ts';
import { createMacosLoginItem, isStartedByMacosLogin } from './macos/macos-login-item.ts';
import { createWindowsLoginItem } from './windows/windows-login-item.ts';

/** With this switch, which is used when the system starts the app at login, the app starts without its window. */
export const hiddenSwitch = '--hidden';

/** `argv`: of this app. */
export const isStartedAtLogin = (argv: readonly string[], app: ElectronLoginItem): boolean =>
  argv.includes(hiddenSwitch) || (process.platform === 'darwin' && isStartedByMacosLogin(app));

/** `program`: the file that starts the app; `openSettings`: opens a link to a page of the system's settings. */
export function systemLoginItem(
  program: { file: string; env: Readonly<NodeJS.ProcessEnv>; home: string },
  app: ElectronLoginItem,
  openSettings: (link: string) => unknown,
): LoginItem {
  if (process.platform === 'darwin') return createMacosLoginItem(app, openSettings);
  if (process.platform === 'win32') return createWindowsLoginItem(app, [hiddenSwitch]);
  return createAutostart({ ...program, command: [program.file, hiddenSwitch] });
}

/** For a user who removes the app's files; other systems keep the entry themselves, as long as the app is there. */
export function removeLoginEntry(user: { env: Readonly<NodeJS.ProcessEnv>; home: string }): void {
  if (process.platform === 'linux') createAutostart({ ...user, command: [] }).set(false);
}
