/** The part of Electron's `app` that is used here. */
export interface ElectronLoginItem {
  getLoginItemSettings(options?: { args: string[] }): {
    openAtLogin: boolean;
    wasOpenedAtLogin: boolean;
    /** On macOS, since version 13: `requires-approval` if its user has switched it off in the system's settings. */
    status?: string;
    /** On Windows: whether users have not switched off the program's entries. */
    executableWillLaunchAtLogin?: boolean;
  };
  setLoginItemSettings(settings: { openAtLogin: boolean; args?: string[] }): void;
}
