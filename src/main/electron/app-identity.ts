import type { App } from 'electron';
import { appId, toastActivator } from '#node/manifest/app-identity.ts';

/**
 * Says to Windows which shortcut this app belongs to, before there is a window or a notification: Electron's own
 * identity is none that the installer writes into the shortcut, and then clicks on notifications reach nobody. An app
 * that is not installed keeps its own: Electron makes a shortcut for it, which would lead to a developer's folder
 * afterwards. https://www.electronjs.org/docs/latest/tutorial/notifications#windows
 */
export function identifyApp(
  app: Pick<App, 'isPackaged' | 'setAppUserModelId' | 'setToastActivatorCLSID'>,
  platform: NodeJS.Platform,
): void {
  if (platform !== 'win32' || !app.isPackaged) return;
  app.setAppUserModelId(appId);
  app.setToastActivatorCLSID(toastActivator);
}
