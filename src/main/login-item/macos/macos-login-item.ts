import type { LoginItem } from '../../preferences/behaviour.ts';
import type { ElectronLoginItem } from '../electron-login-item.ts';

/** System Settings, General, Login Items, since macOS 13. */
const loginItemsLink = 'x-apple.systempreferences:com.apple.LoginItems-Settings.extension';

/**
 * What its user has switched off in macOS's settings can only be switched on there, so these are opened then, by
 * `openSettings` (mihomo-party-org/clash-party#2128).
 */
export const createMacosLoginItem = (
  app: ElectronLoginItem,
  openSettings: (link: string) => unknown,
): LoginItem => ({
  isOn: () => app.getLoginItemSettings().openAtLogin,
  set(isOn) {
    app.setLoginItemSettings({ openAtLogin: isOn });
    const now = app.getLoginItemSettings();
    if (isOn && now.status === 'requires-approval') openSettings(loginItemsLink);
    return now.openAtLogin === isOn;
  },
});

/** macOS passes no switches, but says afterwards whether it has started the app by itself. */
export const isStartedByMacosLogin = (app: ElectronLoginItem): boolean =>
  app.getLoginItemSettings().wasOpenedAtLogin;
