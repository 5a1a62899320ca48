/**
 * The module that `electron` resolves to when Node runs the built app: a small double of the documented API
 * (types checked against `electron.d.ts`), whose windows are pages of a real Chromium. What it does not
 * implement throws.
 */
import { app } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { ipcMain } from './ipc-main.ts';
import { Menu } from './menu.ts';
import { nativeTheme } from './native-theme.ts';
import { session } from './session.ts';
import { shell } from './shell.ts';
import { strict } from './strict.ts';

const { protocol } = session.defaultSession;

export { app, BrowserWindow, ipcMain, Menu, nativeTheme, protocol, session, shell };
export default strict('electron', {
  app,
  BrowserWindow,
  ipcMain,
  Menu,
  nativeTheme,
  protocol,
  session,
  shell,
});
