import { setTimeout as delay } from 'node:timers/promises';
import { app, dialog, powerMonitor, type Event } from 'electron';
import type { Logger } from 'pino';
import { desktopPlatform } from '#node/os/desktop-platform.ts';
import type { MenuPage } from '#shared/host/contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createSay } from '#shared/texts/say.ts';
import type { Core } from '../core/core.ts';
import { createQuit, type Question } from '../desktop-quit.ts';
import { createAutomaticConnection } from '../automatic-connection.ts';
import { createDesktopLinks } from '../desktop-links.ts';
import { protectOnUntrusted } from '../desktop-networks.ts';
import { createDesktopNotices } from '../desktop-notices.ts';
import { createDesktopTray } from '../desktop-tray.ts';
import type { RunProgram } from '../run-program.ts';
import { hasTrayPlace, trayHostMs } from '../tray/tray-place.ts';
import type { AppUpdates } from '../updates/app-updates.ts';
import { closing } from '../window/closing.ts';
import { withTimeout } from '../with-timeout.ts';
import { setAppMenu } from './app-menu.ts';
import { manners } from './desktop-manners.ts';
import { offerFieldMenu } from './field-menu.ts';
import { startsHidden } from './login-item.ts';
import type { MainWindow } from './main-window.ts';
import type { PageZoom } from './page-zoom.ts';
import { notify, withdraw } from './notification.ts';
import { createTrayIcon } from './tray-icon.ts';

export interface DesktopOptions {
  core: Core;
  mainWindow: MainWindow;
  zoom: PageZoom;
  /** Shows this page in the window. */
  openPage(page: MenuPage): void;
  runProgram: RunProgram;
  /** Where there are updates of the app. */
  updates: AppUpdates | undefined;
  log: Logger;
}

export interface Desktop {
  /** The user closes the window. */
  close(): void;
  /** Ends the app without asking, and starts this program in its place, if there is one. */
  leave(next: string | undefined): void;
  /** The system was asked to open a link with the app's own scheme. */
  openLink: (link: string) => void;
}

const panelTries = 15;
const panelPauseMs = 1000;

/** What the app is on the desktop besides its window: the icon, the menu, and how it quits. */
export function startDesktop(options: DesktopOptions): Desktop {
  const { core, mainWindow, runProgram, updates, log } = options;
  const say = createSay(
    () => core.language(),
    desktopPlatform(),
    (language) => core.operatorTexts.of(language),
  );
  const show = () => mainWindow.show();
  /** Nobody waits for the result of a click, so failures are only logged. */
  const click = (name: string, act: () => Promise<void>) =>
    void act().catch((error: unknown) => log.error({ err: error }, `${name} failed`));

  const complain = (title: string, text?: string) => notify({ title, text, onClick: show });

  let isLeaving = false;
  const leave = () => {
    isLeaving = true;
    app.quit();
  };
  const quitting = createQuit({
    core,
    say,
    ask,
    async leave() {
      await updates?.installAtQuit();
      leave();
    },
  });
  const quit = () => click('quitting', quitting);
  if (manners.quitsBySystem) {
    // If the system ends, the helper keeps the tunnel.
    powerMonitor.on('shutdown', () => (isLeaving = true));
    // The Dock's Quit begins here.
    app.prependListener('before-quit', (event: Event) => {
      if (isLeaving) return;
      event.preventDefault();
      quit();
    });
  }
  const icon = createTrayIcon({
    click: () => tray.click(),
    act: (action) => click(`the tray's ${action.do}`, () => tray.act(action)),
  });
  const tray = createDesktopTray({
    core,
    say,
    draw: (view) => icon.draw(view),
    openWindow: show,
    quit,
    complain,
  });
  mainWindow.eachWindow((window) => offerFieldMenu(window, say));

  const toggleConnection = async () => {
    if (isUnderWay(core.tunnel.state())) return await tray.act({ do: 'disconnect' });
    const chosen = core.server.server();
    return await tray.act(chosen ? { do: 'connect', serverId: chosen.serverId } : { do: 'open' });
  };
  let drawnMenu: string | undefined;
  function drawMenu(): void {
    const isConnected = isUnderWay(core.tunnel.state());
    const key = `${core.language()} ${isConnected}`;
    if (key === drawnMenu) return;
    drawnMenu = key;
    setAppMenu({
      say,
      isConnected,
      toggleConnection: () => click('connecting', toggleConnection),
      openPage: (page) => options.openPage(page),
      zoom: (step) => options.zoom.step(step),
      quit,
    });
  }
  drawMenu();
  core.onTunnelState(drawMenu);
  // The language may have changed.
  core.behaviour.onChange(drawMenu);
  core.operatorTexts.onChange(() => {
    drawnMenu = undefined;
    drawMenu();
  });

  const failed = (error: unknown) => log.error({ err: error }, 'the link failed');
  const links = createDesktopLinks({ core, say, ask, openWindow: show, failed, complain });

  const notices = createDesktopNotices({
    core,
    updates,
    say,
    isInFront: () => mainWindow.isInFront(),
    notify: (notice, subject) => notify({ ...notice, subject, onClick: show }),
    withdraw,
  });
  mainWindow.onFocus(() => notices.seen());
  app.on('will-quit', () => notices.close());

  const automatic = createAutomaticConnection({
    core,
    giveUp: (reason) => notices.attemptFailed(reason),
  });
  app.on('will-quit', () => automatic.stop());
  protectOnUntrusted({ core, automatic });
  automatic.beginAtStart();

  let isClosing = false;
  async function close(): Promise<void> {
    if (isClosing) return;
    isClosing = true;
    try {
      await decideClosing();
    } finally {
      isClosing = false;
    }
  }

  /**
   * A desktop panel that starts at the same time takes a while. A window must not stay hidden if nothing can bring it
   * back.
   */
  async function showIfLost(): Promise<void> {
    if (!startsHidden()) return;
    for (let tries = 0; tries < panelTries; tries += 1) {
      if (mainWindow.isVisible() || (await hasTrayPlace(runProgram))) return;
      await delay(panelPauseMs, undefined, { ref: false });
    }
    if (!mainWindow.isVisible()) mainWindow.minimize();
  }
  click('starting hidden', showIfLost);

  async function decideClosing(): Promise<void> {
    const hasPlace = await withTimeout(hasTrayPlace(runProgram), trayHostMs, undefined);
    const does = closing({ hasPlace, state: core.tunnel.state() });
    if (does === 'hide') return mainWindow.hide();
    if (does === 'minimize') return mainWindow.minimize();
    if (does === 'quit') return quit();
    const buttons = [say('close.minimize'), say('tray.quit'), say('connect.cancel')];
    const chosen = await ask({ title: say('close.title'), text: say('close.text'), buttons });
    if (chosen === 0) mainWindow.minimize();
    if (chosen === 1) quit();
  }
  return {
    close: () => click('closing', close),
    leave(next) {
      // The tunnel stays as it is: the helper keeps it, or blocks what it carried, until the new version is there.
      if (next !== undefined) app.relaunch({ execPath: next, args: [] });
      leave();
    },
    openLink: (link) => click('the link', () => links(link)),
  };
}

/** Whether there is a tunnel to end, or an attempt to cancel. */
const isUnderWay = ({ state, ownedByOther }: TunnelState): boolean =>
  !ownedByOther && (state === 'connecting' || state === 'connected');

async function ask({ title, text, buttons, usual = 0 }: Question): Promise<number> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: title,
    detail: text,
    buttons,
    defaultId: usual,
    cancelId: buttons.length - 1,
    noLink: true,
  });
  return response;
}
