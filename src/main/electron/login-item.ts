import { app } from 'electron';
import { createAutostart } from '../login-item/linux/autostart.ts';
import type { LoginItem } from '../preferences/behaviour.ts';

/** With this switch, which is used when the system starts the app at login, the app starts without its window. */
const hiddenSwitch = '--hidden';

export const startsHidden = (): boolean =>
  process.argv.includes(hiddenSwitch) ||
  (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);

/** Undefined for an app that is not installed: the next login would start it from a developer's folder. */
export function systemLoginItem(): LoginItem | undefined {
  if (!app.isPackaged) return undefined;
  const { APPIMAGE } = process.env;
  if (process.platform === 'linux')
    return createAutostart({
      env: process.env,
      home: app.getPath('home'),
      // The program inside an AppImage is in a folder that only exists while it runs.
      command: [APPIMAGE ?? process.execPath, hiddenSwitch],
    });
  const args = process.platform === 'win32' ? [hiddenSwitch] : [];
  return {
    isOn: () => app.getLoginItemSettings({ args }).openAtLogin,
    set(isOn) {
      app.setLoginItemSettings({ openAtLogin: isOn, args });
      return app.getLoginItemSettings({ args }).openAtLogin === isOn;
    },
  };
}
