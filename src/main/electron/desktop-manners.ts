const { platform } = process;
const isMac = platform === 'darwin';

/** How apps behave on this system, as its users know it: what Electron leaves to the app. */
export const manners = {
  /** The menu is at the top of the screen, and takes all shortcuts; elsewhere, it is in the window, and hidden. */
  hasMenuOfApp: isMac,
  /** An app without a window goes on. */
  outlivesWindows: isMac,
  /** A full-screen window that is hidden leaves a black screen. */
  leavesFullScreenToHide: isMac,
  /** The system itself tells an app to quit, as from the Dock, and when it ends. */
  quitsBySystem: isMac,
  /** An app says itself which links it opens. On Windows, its installer does: what an app has written there stays. */
  registersLinks: platform !== 'win32',
} as const;
