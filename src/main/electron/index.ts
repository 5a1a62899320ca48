import path from 'node:path';
import { app, dialog, Menu, session, type BrowserWindow } from 'electron';
import { pino, type LogFn, type Logger } from 'pino';
import { createCore, type Core } from '../core.ts';
import { createDesktopHost } from '../desktop-host.ts';
import { readEnvironment } from '../environment.ts';
import { createSystemKeychain } from '../session/keychain.ts';
import { createRunProgram } from '../system-proxy/run-program.ts';
import { closeAppViews, openAppView } from './app-view-window.ts';
import { reportAddress, startErrorReports } from './error-reports.ts';
import { createHostIpc } from './host-ipc.ts';
import { denyPermissions, openAppLink, openExternal } from './lockdown.ts';
import { declarePageScheme, openPageWindow, servePages } from './page-window.ts';
import { openPortalWindow } from './portal-window.ts';
import { openSsoWindow } from './sso-window.ts';
import { startFailureText } from './start-failure.ts';
import { openStore, openTextFile } from './stores.ts';

const preload = path.join(import.meta.dirname, '../preload/index.cjs');
const renderer = path.join(import.meta.dirname, '../renderer');
const developmentUrl = app.isPackaged ? undefined : process.env['ELECTRON_RENDERER_URL'];
const log = pino({ name: 'waymaker', hooks: { logMethod: logAndReport } });
const errorReports = startErrorReports(app.getVersion(), log);

app.setName('Waymaker');
declarePageScheme();
if (app.requestSingleInstanceLock()) start().then(() => errorReports.started(), giveUp);
else app.quit();

async function start(): Promise<void> {
  await app.whenReady();
  setMenu();
  denyPermissions(session.defaultSession);
  let core: Core | undefined;
  const probePages = () => core?.probePages() ?? [];
  servePages(renderer, reportAddress, probePages);

  const ipc = createHostIpc({ developmentUrl, log });
  let pageWindow: BrowserWindow | undefined;
  const open = () => {
    const window = openPageWindow({ preload, developmentUrl, probePages, log });
    ipc.addWindow(window);
    window.on('focus', () => core?.userIsHere());
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
  const running = createCore({
    environment: readEnvironment(process.env, process.platform),
    version: app.getVersion(),
    lang: app.getLocale(),
    settingsFile: openStore('settings'),
    pageFile: openStore('page-storage'),
    planFile: openStore('plan'),
    listsFile: openTextFile('route-lists.json'),
    keychain: createSystemKeychain(),
    runProgram: createRunProgram(),
    session: process.env,
    openBrowser: openSsoWindow,
    openPortalWindow,
    log,
  });
  core = running;
  app.on('will-quit', () => running.close());
  ipc.serve(
    createDesktopHost({
      core: running,
      openExternal,
      openAppView,
      openAppLink,
      emit: (channel, payload) => ipc.emit(channel, payload),
    }),
  );
}

/** An app that cannot start says why, instead of showing a window that waits for ever. */
async function giveUp(error: unknown): Promise<void> {
  log.fatal({ err: error }, 'the app cannot start');
  await errorReports.flush();
  dialog.showErrorBox('Waymaker', startFailureText(error, app.getLocale()));
  app.exit(1);
}

/** Whatever is logged as an error is reported as one. */
function logAndReport(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
  const [details] = args as unknown[];
  const { error } = this.levels.values;
  if (error !== undefined && level >= error && details instanceof Object && 'err' in details) {
    errorReports.report(details.err);
  }
  method.apply(this, args);
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
