import type Electron from 'electron';
import { app } from './app.ts';
import { appSide } from '../channel/app-side.ts';
import type { Menu } from './menu.ts';
import { createEvent, StrictEmitter } from './strict.ts';

type Implemented = Pick<Electron.Tray, 'setImage' | 'setToolTip' | 'setContextMenu'>;

const trays: Tray[] = [];
const shown = (): Tray | undefined => trays[0];

/** The icon in the tray: what it shows is kept for who asks, and clicks come from there. */
export class Tray extends StrictEmitter implements Implemented {
  image: Electron.NativeImage;
  tooltip = '';
  menu: Menu | null = null;

  constructor(image: Electron.NativeImage | string) {
    super('Tray');
    if (!app.isReady()) throw new Error('Cannot create Tray before app is ready');
    if (shown()) throw new Error('stand-in: only one tray icon is implemented');
    this.image = checked(image);
    trays.push(this);
  }
  setImage = (image: Electron.NativeImage | string): void => {
    this.image = checked(image);
  };
  setToolTip = (tooltip: string): void => {
    this.tooltip = tooltip;
  };
  setContextMenu = (menu: Electron.Menu | null): void => {
    this.menu = menu as unknown as Menu | null;
  };
}

function checked(image: Electron.NativeImage | string): Electron.NativeImage {
  if (typeof image === 'string') throw new Error('stand-in: pictures from files are not implemented');
  if (image.isEmpty()) throw new Error('stand-in: an empty picture shows nothing');
  return image;
}

appSide.trayShown = () => {
  const tray = shown();
  if (!tray) return null;
  const { tooltip, image, menu } = tray;
  return { tooltip, picture: image.toDataURL(), menu: menu?.entries() ?? [] };
};
appSide.userClicksTray = () => void shown()?.emit('click', createEvent({}));
appSide.userChoosesInTray = (labels) => {
  const menu = shown()?.menu;
  if (!menu) throw new Error('there is no menu in the tray');
  menu.choose(labels);
};
