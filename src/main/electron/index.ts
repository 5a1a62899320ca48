import path from 'node:path';
import { app, dialog, powerMonitor, session } from 'electron';
import { multistream, pino, type LogFn, type Logger } from 'pino';
import { outliveOutput } from '#node/os/standard-output.ts';
import { controlProtocolVersion } from '#shared/control/contract.ts';
import { controlPlace, type ControlPlace } from '../control/control-place.ts';
import { serveControl, type ControlServer } from '../control/control-server.ts';
import { takeCoreFromDaemon } from '../control/take-core.ts';
import { createControlHost } from '../control-host.ts';
import type { Core } from '../core/core.ts';
import { createCore } from '../core/create-core.ts';
import { pageScheme } from '../page/page-address.ts';
import { createDesktopHost } from '../desktop-host.ts';
import { createLogFile } from '../diagnostics/log-file.ts';
import { createLossWatch } from '../diagnostics/loss-cause.ts';
import { desktopLanguage, readEnvironment } from '../environment.ts';
import { systemNetworks } from '../networks/system-networks.ts';
import { openCoreFiles } from '../preferences/kept-file.ts';
import { createSettings } from '../preferences/settings.ts';
import { linkAmong } from '../links/deep-link.ts';
import { createLinkInbox } from '../links/link-inbox.ts';
import { createSystemKeychain } from '../session/keychain.ts';
import { createRunProgram } from '../run-program.ts';
import { secondStart } from '../desktop-second-start.ts';
import { startAppUpdates } from '../desktop-updates.ts';
import { identifyApp } from './app-identity.ts';
import { setAppMenu } from './app-menu.ts';
import { closeAppViews, openAppView } from './app-view-window.ts';
import { startDesktop, type Desktop } from './desktop.ts';
import { manners } from './desktop-manners.ts';
import { reportAddress, startErrorReports } from './error-reports.ts';
import { createHostIpc } from './host-ipc.ts';
import { clipboardWrite, denyPermissions, openAppLink, openExternal } from './lockdown.ts';
import { installedLoginItem, startsHidden } from './login-item.ts';
import { createMainWindow } from './main-window.ts';
import { followPageInView } from './page-in-view.ts';
import { declarePageScheme, openPageWindow, placeOf, servePages } from './page-window.ts';
import { createPageZoom } from './page-zoom.ts';
import { openPortalWindow } from './portal-window.ts';
import { createSaveText } from './save-text.ts';
import { openSsoWindow } from './sso-window.ts';
import { startFailureText } from './start-failure.ts';

const preload = path.join(import.meta.dirname, '../preload/index.cjs');
const renderer = path.join(import.meta.dirname, '../renderer');
const developmentUrl = app.isPackaged ? undefined : process.env['ELECTRON_RENDERER_URL'];
outliveOutput();
app.setName('Waymaker');
identifyApp(app, process.platform);
const logFile = createLogFile({ file: path.join(app.getPath('logs'), 'main.log') });
const log = pino(
  { name: 'waymaker', hooks: { logMethod: logAndReport } },
  multistream([{ stream: process.stdout }, { stream: logFile }]),
);
const errorReports = startErrorReports(app.getVersion(), log);

declarePageScheme();
// What follows `--` cannot be a switch of Chromium, whatever a link contains.
if (app.isPackaged && manners.registersLinks)
  app.setAsDefaultProtocolClient(pageScheme, process.execPath, ['--']);
const links = createLinkInbox(linkAmong(process.argv));
// On macOS, an event says which link started the app, possibly before the app is ready.
app.on('open-url', (event, url) => {
  event.preventDefault();
  links.add(url);
});
if (app.requestSingleInstanceLock()) start().then(() => errorReports.started(), giveUp);
else app.quit();

async function start(): Promise<void> {
  await app.whenReady();
  setAppMenu();
  denyPermissions(session.defaultSession, clipboardWrite);
  let core: Core | undefined;
  const probePages = () => core?.probePages() ?? [];
  servePages(renderer, reportAddress, probePages);

  const ipc = createHostIpc({ developmentUrl, log });
  const files = openCoreFiles(app.getPath('userData'));
  const settings = createSettings(files.settingsFile);
  const zoom = createPageZoom(settings);
  let desktop: Desktop | undefined;
  let isHidden = startsHidden();
  let pageInView: string | undefined;
  const mainWindow = createMainWindow({
    open() {
      const place = settings.get('windowPlace');
      const theme = settings.get('theme');
      const window = openPageWindow({ preload, developmentUrl, probePages, place, theme, isHidden, log });
      isHidden = false;
      ipc.addWindow(window);
      zoom.attach(window);
      window.on('focus', () => core?.userIsHere());
      followPageInView(window, (seen) => {
        pageInView = seen;
        core?.setPageInView(seen);
      });
      return window;
    },
    // Before the rest of the app exists, closing quits it.
    onClose: () => (desktop ? desktop.close() : app.quit()),
    onClosed: closeAppViews,
    keepPlace: (window) => void settings.set('windowPlace', placeOf(window)),
  });
  app.on('second-instance', (_event, argv) => {
    const { showsWindow, link } = secondStart(argv);
    if (showsWindow) mainWindow.show();
    if (link !== undefined) links.add(link);
  });
  app.on('activate', () => mainWindow.show());
  app.on('window-all-closed', () => {
    if (!manners.outlivesWindows) app.quit();
  });

  const lossWatch = createLossWatch();
  powerMonitor.on('suspend', () => lossWatch.slept());
  powerMonitor.on('resume', () => lossWatch.woke());
  // Created after the window, which loads meanwhile; its requests wait for the host.
  const { platform } = process;
  const place = controlPlace(app.getPath('userData'), { env: process.env, platform });
  // For the whole life of this process: two cores would undo each other's work.
  await takeCoreFromDaemon({ place, platform, version: app.getVersion(), log });
  const runProgram = createRunProgram();
  const running = createCore({
    environment: readEnvironment(process.env, process.platform),
    version: app.getVersion(),
    lang: systemLanguage(),
    ...files,
    lossWatch,
    appLog: () => logFile.read(),
    keychain: createSystemKeychain(),
    loginItem: installedLoginItem(),
    networks: systemNetworks({ platform: process.platform, env: process.env, log }),
    runProgram,
    session: process.env,
    openBrowser: openSsoWindow,
    openPortalWindow,
    log,
  });
  core = running;
  running.setPageInView(pageInView);
  running.session.onChange(({ signedIn }) => {
    // They are the account's apps, and somebody may be signed in to them.
    if (!signedIn) closeAppViews();
  });
  app.on('will-quit', () => running.close());
  const updates = await startAppUpdates({
    core: running,
    platform,
    env: process.env,
    profile: app.getPath('userData'),
    version: app.getVersion(),
    leave: (next) => desktop?.leave(next),
    log,
  });
  if (updates) app.on('will-quit', () => updates.close());
  ipc.serve(
    createDesktopHost({
      core: running,
      openExternal,
      openAppView,
      openAppLink,
      saveText: createSaveText(log),
      updates,
      emit: (channel, payload) => ipc.emit(channel, payload),
    }),
  );
  desktop = startDesktop({
    core: running,
    mainWindow,
    zoom,
    updates,
    openPage(page) {
      mainWindow.show();
      ipc.emit('menu.pageChosen', page);
    },
    runProgram,
    log,
  });
  links.openWith(desktop.openLink);
  await serveCommandLine(running, place);
}

const systemLanguage = () => desktopLanguage(process.env, process.platform, app.getLocale());

/** Lets the user's other programs use the app's core. */
async function serveCommandLine(core: Core, place: ControlPlace): Promise<void> {
  let control: ControlServer | undefined;
  const host = createControlHost({
    core,
    hello: {
      protocolVersion: controlProtocolVersion,
      version: app.getVersion(),
      kind: 'app',
      pid: process.pid,
    },
    yieldCore: () => false,
    emit: (channel, payload) => control?.emit(channel, payload),
  });
  const listening = await serveControl({ place, platform: process.platform, host, log });
  control = listening;
  app.on('will-quit', () => listening.close());
}

/** An app that cannot start says why, instead of showing a window that never loads. */
async function giveUp(error: unknown): Promise<void> {
  log.fatal({ err: error }, 'the app cannot start');
  await errorReports.flush();
  dialog.showErrorBox('Waymaker', startFailureText(error, systemLanguage()));
  app.exit(1);
}

/** Everything that is logged as an error is also reported. */
function logAndReport(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
  const [details] = args as unknown[];
  const { error } = this.levels.values;
  if (error !== undefined && level >= error && details instanceof Object && 'err' in details) {
    errorReports.report(details.err);
  }
  method.apply(this, args);
}
