import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type Electron from 'electron';
import { appSide } from '../channel/app-side.ts';

interface LoginItems {
  get: (options?: Electron.LoginItemSettingsOptions) => Electron.LoginItemSettings;
  set: (settings: Electron.Settings) => void;
}

/**
 * What macOS and Windows start at login: only this app, if at all. Kept in the app's folder for its later starts. On
 * Windows, an item is only found with the arguments that it was set with.
 */
export function createLoginItems(folder: () => string): LoginItems {
  const file = () => path.join(folder(), 'stand-in-login-item.json');
  let isKept = false;
  appSide.systemKeepsLoginItems = () => {
    isKept = true;
  };

  function onlyHere(): void {
    if (process.platform === 'linux') throw new Error('stand-in: Electron has no login items on Linux');
  }

  return {
    get({ args = [] } = {}) {
      onlyHere();
      const found = existsSync(file()) ? readFileSync(file(), 'utf8') : undefined;
      const openAtLogin =
        process.platform === 'darwin' ? found !== undefined : found === JSON.stringify(args);
      const opened = process.platform === 'darwin' && process.env['STAND_IN_OPENED_AT_LOGIN'] === '1';
      return { openAtLogin, wasOpenedAtLogin: opened } as Electron.LoginItemSettings;
    },
    set({ openAtLogin = false, args = [], ...others }) {
      onlyHere();
      const [unknown] = Object.keys(others);
      if (unknown !== undefined) throw new Error(`stand-in: login items with ${unknown} are not implemented`);
      if (isKept) return;
      if (openAtLogin) writeFileSync(file(), JSON.stringify(args));
      else rmSync(file(), { force: true });
    },
  };
}
