import type { LoginItem } from '../../preferences/behaviour.ts';
import type { ElectronLoginItem } from '../electron-login-item.ts';

/**
 * The registry's entry contains the switches, so it is only found with the same ones. Users can switch it off in the
 * Task Manager and in Windows' settings, which leaves the entry itself as it is (StartupApproved); Electron switches it
 * on again.
 */
export function createWindowsLoginItem(app: ElectronLoginItem, args: string[]): LoginItem {
  const isOn = () => {
    const { openAtLogin, executableWillLaunchAtLogin = true } = app.getLoginItemSettings({ args });
    return openAtLogin && executableWillLaunchAtLogin;
  };
  return {
    isOn,
    set(isWanted) {
      app.setLoginItemSettings({ openAtLogin: isWanted, args });
      return isOn() === isWanted;
    },
  };
}
