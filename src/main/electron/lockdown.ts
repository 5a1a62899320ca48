import { shell, type Session, type WebContents, type WebPreferences } from 'electron';
import { externalLink } from '#shared/host/external-link.ts';

/** What every window that shows pages holds back from them, whatever else it lets them have. */
export const sandboxed = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webSecurity: true,
  webviewTag: false,
  spellcheck: false,
} satisfies WebPreferences;

/** Putting text into the clipboard when the user presses a button for it (Electron's name of the permission). */
export const clipboardWrite = 'clipboard-sanitized-write';

/** Denies every permission but `granted` to everything that runs in `session`. */
export function denyPermissions(session: Session, granted?: typeof clipboardWrite): void {
  session.setPermissionRequestHandler((_contents, permission, decide) => decide(permission === granted));
  session.setPermissionCheckHandler((_contents, permission) => permission === granted);
  session.setDevicePermissionHandler(() => false);
}

/** Keeps `contents` on pages that `mayShow` allows; links to anywhere else go to the system's browser. */
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

/** Hands a link that may be opened to whatever program the system has for it; false if there is none. */
export async function openAppLink(link: string): Promise<boolean> {
  try {
    await shell.openExternal(link);
    return true;
  } catch {
    return false;
  }
}

/** Opens a link in the system's browser or mail program; false if it is not one that may be opened. */
export async function openExternal(link: string): Promise<boolean> {
  const allowed = externalLink(link);
  return allowed === undefined ? false : await openAppLink(allowed);
}

function openOutside(link: string): void {
  void openExternal(link);
}
