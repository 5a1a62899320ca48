import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { Say } from '#shared/texts/say.ts';

/**
 * Only macOS has a menu that is always there, and takes its editing shortcuts from it. `quit`: the user wants the app to
 * end, which is more than its process.
 */
export function setAppMenu(own?: { say: Say; quit(): void }): void {
  if (process.platform !== 'darwin') return Menu.setApplicationMenu(null);
  const appMenu: MenuItemConstructorOptions = own
    ? {
        label: app.name,
        submenu: [
          { role: 'about' },
          { type: 'separator' },
          { role: 'services' },
          { type: 'separator' },
          { role: 'hide' },
          { role: 'hideOthers' },
          { role: 'unhide' },
          { type: 'separator' },
          { label: own.say('tray.quit'), accelerator: 'Command+Q', click: () => own.quit() },
        ],
      }
    : { role: 'appMenu' };
  Menu.setApplicationMenu(Menu.buildFromTemplate([appMenu, { role: 'editMenu' }, { role: 'windowMenu' }]));
}
