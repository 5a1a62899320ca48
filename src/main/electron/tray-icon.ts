import {
  Menu,
  nativeImage,
  nativeTheme,
  Tray,
  type MenuItemConstructorOptions,
  type NativeImage,
} from 'electron';
import type { TrayLook } from '../tray/tray-look.ts';
import { trayTone } from '../tray/tray-tone.ts';
import type { TrayAction, TrayItem, TrayView } from '../tray/tray-view.ts';

/** As data URLs; generated from one drawing by scripts/tray-icons.ts. */
const pictures = import.meta.glob<string>('../../../resources/tray/*.png', {
  query: '?inline',
  import: 'default',
  eager: true,
});

/** The icon in the system's tray or menu bar, shown from the first view on. */
export interface TrayIcon {
  draw(view: TrayView): void;
}

export function createTrayIcon(options: { click(): void; act(action: TrayAction): void }): TrayIcon {
  let tray: Tray | undefined;
  let drawn: TrayView | undefined;

  function draw(view: TrayView): void {
    drawn = view;
    const image = imageOf(view.look);
    if (tray) tray.setImage(image);
    else {
      tray = new Tray(image);
      // Not emitted where a click opens the menu: on macOS, and on Linux desktops that only support the menu.
      tray.on('click', () => options.click());
    }
    tray.setToolTip(view.tooltip);
    tray.setContextMenu(Menu.buildFromTemplate(view.menu.map(template)));
  }

  function template(item: TrayItem): MenuItemConstructorOptions {
    switch (item.kind) {
      case 'text':
        return { label: literal(item.label), enabled: false };
      case 'separator':
        return { type: 'separator' };
      case 'action':
        return { label: literal(item.label), click: () => options.act(item.action) };
      case 'radio':
      case 'checkbox':
        return {
          type: item.kind,
          label: literal(item.label),
          checked: item.isChecked,
          click: () => options.act(item.action),
        };
      case 'submenu':
        return { type: 'submenu', label: literal(item.label), submenu: item.items.map(template) };
      default:
        return item satisfies never;
    }
  }

  nativeTheme.on('updated', () => {
    if (tray && drawn) tray.setImage(imageOf(drawn.look));
  });
  return { draw };
}

/** An ampersand would underline the following letter. */
const literal = (label: string) => label.replaceAll('&', '&&');

function imageOf(look: TrayLook): NativeImage {
  const tone = trayTone(nativeTheme);
  const image = nativeImage.createFromDataURL(picture(`${look}-${tone}`));
  if (tone !== 'template') return image;
  image.addRepresentation({ scaleFactor: 2, dataURL: picture(`${look}-${tone}@2x`) });
  image.setTemplateImage(true);
  return image;
}

function picture(name: string): string {
  const found = Object.entries(pictures).find(([file]) => file.endsWith(`/${name}.png`));
  if (!found) throw new Error(`there is no picture ${name} for the tray`);
  return found[1];
}
