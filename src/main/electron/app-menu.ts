import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { MenuPage } from '#shared/host/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import type { ZoomStep } from '../preferences/zoom-levels.ts';

/** What the menu does beside what every menu does by itself. */
export interface AppMenu {
  say: Say;
  /** Whether there is a tunnel, or one in progress, that the item for it ends. */
  isConnected: boolean;
  toggleConnection(): void;
  openPage(page: MenuPage): void;
  zoom(step: ZoomStep): void;
  /** The user wants the app to end, which is more than its process. */
  quit(): void;
}

/**
 * macOS shows the menu at the top of the screen, and takes all shortcuts from it. Elsewhere the menu bar is hidden until
 * Alt is pressed, and there for its shortcuts.
 */
export function setAppMenu(own?: AppMenu): void {
  if (own) return Menu.setApplicationMenu(Menu.buildFromTemplate(template(own)));
  // Before the app knows what it can do: what macOS cannot be without.
  const isMac = process.platform === 'darwin';
  const first = [{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }] as const;
  Menu.setApplicationMenu(isMac ? Menu.buildFromTemplate([...first]) : null);
}

type Items = MenuItemConstructorOptions[];

const separator = { type: 'separator' } as const;

function template(own: AppMenu): Items {
  const { say } = own;
  const isMac = process.platform === 'darwin';
  const settings = {
    label: say('menu.settings'),
    accelerator: 'CommandOrControl+,',
    click: () => own.openPage('/settings'),
  };
  const quit = { label: say('tray.quit'), accelerator: 'CommandOrControl+Q', click: () => own.quit() };
  const help: Items = [
    { label: say('report.title'), click: () => own.openPage('/settings/problem-report') },
    { label: say('about.title'), click: () => own.openPage('/about-us') },
  ];
  return [
    isMac
      ? { label: app.name, submenu: macAppItems(say, settings, quit) }
      : { label: say('menu.file'), submenu: [settings, separator, quit] },
    { label: say('connect.title'), submenu: connectionItems(own) },
    { label: say('menu.edit'), submenu: editItems(say) },
    { label: say('menu.view'), submenu: viewItems(own) },
    {
      label: say('menu.window'),
      role: 'window',
      submenu: [
        { label: say('close.minimize'), role: 'minimize' },
        { label: say('menu.close'), role: 'close' },
      ],
    },
    { label: say('menu.help'), role: 'help', submenu: help },
  ];
}

const macAppItems = (
  say: Say,
  settings: MenuItemConstructorOptions,
  quit: MenuItemConstructorOptions,
): Items => [
  { label: say('menu.about'), role: 'about' },
  separator,
  settings,
  separator,
  { label: say('menu.services'), role: 'services' },
  separator,
  { label: say('menu.hide'), role: 'hide' },
  { label: say('menu.hideOthers'), role: 'hideOthers' },
  { label: say('menu.showAll'), role: 'unhide' },
  separator,
  quit,
];

const connectionItems = (own: AppMenu): Items => [
  {
    label: own.say(own.isConnected ? 'connect.disconnect' : 'connect.connect'),
    accelerator: 'CommandOrControl+Shift+C',
    click: () => own.toggleConnection(),
  },
  separator,
  { label: own.say('connectionLog.title'), click: () => own.openPage('/settings/connection-log') },
];

/** Also of the menu on a text field. */
export const editItems = (say: Say): Items => [
  { label: say('menu.undo'), role: 'undo' },
  { label: say('menu.redo'), role: 'redo' },
  separator,
  { label: say('menu.cut'), role: 'cut' },
  { label: say('menu.copy'), role: 'copy' },
  { label: say('menu.paste'), role: 'paste' },
  separator,
  { label: say('menu.selectAll'), role: 'selectAll' },
];

function viewItems(own: AppMenu): Items {
  const { say } = own;
  const zoomIn = { label: say('menu.zoomIn'), click: () => own.zoom('in') };
  return [
    { ...zoomIn, accelerator: 'CommandOrControl+Plus' },
    // The same key without Shift, on keyboards that have the plus above it.
    { ...zoomIn, accelerator: 'CommandOrControl+=', visible: false, acceleratorWorksWhenHidden: true },
    { label: say('menu.zoomOut'), accelerator: 'CommandOrControl+-', click: () => own.zoom('out') },
    { label: say('menu.actualSize'), accelerator: 'CommandOrControl+0', click: () => own.zoom('reset') },
    separator,
    { label: say('menu.fullScreen'), role: 'togglefullscreen' },
    ...developmentItems,
  ];
}

/** A page that is reloaded, or taken apart, is for who develops it. */
const developmentItems: Items = app.isPackaged
  ? []
  : [separator, { role: 'reload' }, { role: 'toggleDevTools' }];
