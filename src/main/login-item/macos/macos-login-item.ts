import type { LoginItem } from '../../preferences/behaviour.ts';
import type { ElectronLoginItem } from '../electron-login-item.ts';

/** macOS passes no switches, but says afterwards whether it has started the app by itself. */
export const createMacosLoginItem = (app: ElectronLoginItem): LoginItem => ({
  isOn: () => app.getLoginItemSettings().openAtLogin,
  set(isOn) {
    app.setLoginItemSettings({ openAtLogin: isOn });
    return app.getLoginItemSettings().openAtLogin === isOn;
  },
});

export const isStartedByMacosLogin = (app: ElectronLoginItem): boolean =>
  app.getLoginItemSettings().wasOpenedAtLogin;
