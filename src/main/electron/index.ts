import path from 'node:path';
import { app, Menu, session, type BrowserWindow } from 'electron';
import { pino } from 'pino';
import { createDesktopHost } from '../desktop-host.ts';
import { readEnvironment } from '../environment.ts';
import { createSystemKeychain } from '../keychain.ts';
import { closeAppViews, openAppView } from './app-view-window.ts';
import { createHostIpc } from './host-ipc.ts';
import { denyPermissions, openAppLink, openExternal } from './lockdown.ts';
import { declarePageScheme, openPageWindow, servePages } from './page-window.ts';
import { openSsoWindow } from './sso-window.ts';
import { openStore } from './stores.ts';

const preload = path.join(import.meta.dirname, '../preload/index.cjs');
const renderer = path.join(import.meta.dirname, '../renderer');
const developmentUrl = app.isPackaged ? undefined : process.env['ELECTRON_RENDERER_URL'];
const log = pino({ name: 'waymaker' });

app.setName('Waymaker');
declarePageScheme();
if (app.requestSingleInstanceLock()) void start();
else app.quit();

async function start(): Promise<void> {
  await app.whenReady();
  setMenu();
  denyPermissions(session.defaultSession);
  servePages(renderer);

  const ipc = createHostIpc({ developmentUrl, log });
  let pageWindow: BrowserWindow | undefined;
  const open = () => {
    const window = openPageWindow({ preload, developmentUrl, log });
    ipc.addWindow(window);
    window.on('closed', () => {
      pageWindow = undefined;
      closeAppViews();
    });
    pageWindow = window;
  };
  open();
  app.on('second-instance', () => pageWindow && showWindow(pageWindow));
  app.on('activate', () => {
    if (!pageWindow) open();
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });

  // After the window, which is loading meanwhile; its requests wait for the host.
  const host = createDesktopHost({
    environment: readEnvironment(process.env, process.platform),
    version: app.getVersion(),
    lang: app.getLocale(),
    settingsFile: openStore('settings'),
    pageFile: openStore('page-storage'),
    keychain: createSystemKeychain(),
    openExternal,
    openBrowser: openSsoWindow,
    openAppView,
    openAppLink,
    emit: (channel, payload) => ipc.emit(channel, payload),
    log,
  });
  ipc.serve(host.server);
  app.on('will-quit', () => host.close());
}

function showWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** Only macOS has a menu that is always there, and takes its editing shortcuts from it. */
function setMenu(): void {
  const menu =
    process.platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null;
  Menu.setApplicationMenu(menu);
}
