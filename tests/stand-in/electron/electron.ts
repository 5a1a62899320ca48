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
import { nativeImage } from './native-image.ts';
import { powerMonitor } from './power-monitor.ts';
import { nativeTheme } from './native-theme.ts';
import { net } from './net.ts';
import { Notification } from './notification.ts';
import { screen } from './screen.ts';
import { session } from './session.ts';
import { shell } from './shell.ts';
import { strict } from './strict.ts';
import { Tray } from './tray.ts';

const { protocol } = session.defaultSession;

// Modules that libraries name in their imports: without anything in them.
const autoUpdater = strict('autoUpdater', {});
const crashReporter = strict('crashReporter', {});
const webContents = strict('webContents', {});

export {
  app,
  autoUpdater,
  BrowserWindow,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  webContents,
};
export default strict('electron', {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
});
