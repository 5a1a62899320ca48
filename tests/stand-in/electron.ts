/**
 * The module that `electron` resolves to when Node runs the built app: a small double of the documented API
 * (types checked against `electron.d.ts`), whose windows are pages of a real Chromium. What it does not
 * implement throws.
 */
import { app } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { dialog } from './dialog.ts';
import { ipcMain } from './ipc-main.ts';
import { Menu } from './menu.ts';
import { nativeTheme } from './native-theme.ts';
import { net } from './net.ts';
import { session } from './session.ts';
import { shell } from './shell.ts';
import { strict } from './strict.ts';

const { protocol } = session.defaultSession;

// Modules that libraries name in their imports: without anything in them.
const autoUpdater = strict('autoUpdater', {});
const crashReporter = strict('crashReporter', {});
const powerMonitor = strict('powerMonitor', {});
const screen = strict('screen', {});
const webContents = strict('webContents', {});

export {
  app,
  autoUpdater,
  BrowserWindow,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  net,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  webContents,
};
export default strict('electron', {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  net,
  protocol,
  session,
  shell,
});
