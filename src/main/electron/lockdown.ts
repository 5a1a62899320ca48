import { shell, type Session, type WebContents, type WebPreferences } from 'electron';
import { externalLink } from '#shared/host/external-link.ts';

/** The restrictions of all windows that show pages. */
export const sandboxed = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webSecurity: true,
  webviewTag: false,
  spellcheck: false,
} satisfies WebPreferences;

/** Electron's name for the permission to write text to the clipboard when the user presses a button. */
export const clipboardWrite = 'clipboard-sanitized-write';

/** Denies all permissions except `granted` in `session`. */
export function denyPermissions(session: Session, granted?: typeof clipboardWrite): void {
  session.setPermissionRequestHandler((_contents, permission, decide) => decide(permission === granted));
  session.setPermissionCheckHandler((_contents, permission) => permission === granted);
  session.setDevicePermissionHandler(() => false);
}

/** Keeps `contents` on pages that `mayShow` allows; links to anything else open in the system's browser. */
export function lockNavigation(
  contents: WebContents,
  mayShow: (url: string, isMainFrame: boolean) => boolean,
): void {
  const leave = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    if (mayShow(event.url, event.isMainFrame)) return;
    event.preventDefault();
    if (event.isMainFrame) openOutside(event.url);
  };
  contents.on('will-frame-navigate', leave);
  contents.on('will-redirect', leave);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
}

/** Passes a link that may be opened to the program that the system has for it; false if there is none. */
export async function openAppLink(link: string): Promise<boolean> {
  try {
    await shell.openExternal(link);
    return true;
  } catch {
    return false;
  }
}

/** Opens a link in the system's browser or mail program; false if it may not be opened. */
export async function openExternal(link: string): Promise<boolean> {
  const allowed = externalLink(link);
  return allowed === undefined ? false : await openAppLink(allowed);
}

function openOutside(link: string): void {
  void openExternal(link);
}
