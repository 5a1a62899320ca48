import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { MenuPage } from '#shared/host/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import type { ZoomStep } from '../preferences/zoom-levels.ts';
import { manners } from './desktop-manners.ts';

/** What the menu does in addition to standard items. */
export interface AppMenu {
  say: Say;
  /** Whether there is a tunnel, or one in progress, which the menu item would end. */
  isConnected: boolean;
  toggleConnection(): void;
  openPage(page: MenuPage): void;
  zoom(step: ZoomStep): void;
  /** The user wants to quit, which does more than ending the process. */
  quit(): void;
}

/**
 * macOS shows the menu at the top of the screen, and takes all shortcuts from it. Elsewhere, the menu bar is hidden
 * until Alt is pressed, and provides the shortcuts.
 */
export function setAppMenu(own?: AppMenu): void {
  if (own) return Menu.setApplicationMenu(Menu.buildFromTemplate(template(own)));
  // Before the app knows more, the minimum that macOS needs.
  const first = [{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }] as const;
  Menu.setApplicationMenu(manners.hasMenuOfApp ? Menu.buildFromTemplate([...first]) : null);
}

type Items = MenuItemConstructorOptions[];

const separator = { type: 'separator' } as const;

function template(own: AppMenu): Items {
  const { say } = own;
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
    manners.hasMenuOfApp
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

/** Also used in the context menu of text fields. */
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
    // The same key without Shift, for keyboards with the plus above it.
    { ...zoomIn, accelerator: 'CommandOrControl+=', visible: false, acceleratorWorksWhenHidden: true },
    { label: say('menu.zoomOut'), accelerator: 'CommandOrControl+-', click: () => own.zoom('out') },
    { label: say('menu.actualSize'), accelerator: 'CommandOrControl+0', click: () => own.zoom('reset') },
    separator,
    { label: say('menu.fullScreen'), role: 'togglefullscreen' },
    ...developmentItems,
  ];
}

/** Reloading a page and opening its developer tools are for developers only. */
const developmentItems: Items = app.isPackaged
  ? []
  : [separator, { role: 'reload' }, { role: 'toggleDevTools' }];
