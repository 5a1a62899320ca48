import type { LoginItem } from '../../preferences/behaviour.ts';
import type { ElectronLoginItem } from '../electron-login-item.ts';

/** The registry's entry contains the switches, so it is only found with the same ones. */
export const createWindowsLoginItem = (app: ElectronLoginItem, args: string[]): LoginItem => ({
  isOn: () => app.getLoginItemSettings({ args }).openAtLogin,
  set(isOn) {
    app.setLoginItemSettings({ openAtLogin: isOn, args });
    return app.getLoginItemSettings({ args }).openAtLogin === isOn;
  },
});
