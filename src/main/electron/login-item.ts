import { app } from 'electron';
import { createAutostart } from '../login-item/autostart.ts';
import type { LoginItem } from '../preferences/behaviour.ts';

/** An app that the system starts at login begins without its window. */
const hiddenSwitch = '--hidden';

export const startsHidden = (): boolean =>
  process.argv.includes(hiddenSwitch) ||
  (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);

/** Undefined for an app that is not installed: what was started at the next login would be a folder of its developers'. */
export function systemLoginItem(): LoginItem | undefined {
  if (!app.isPackaged) return undefined;
  const { APPIMAGE } = process.env;
  if (process.platform === 'linux')
    return createAutostart({
      env: process.env,
      home: app.getPath('home'),
      // An AppImage's own program lies in a folder that is there while it runs.
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
