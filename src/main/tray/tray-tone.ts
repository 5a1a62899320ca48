/** The background that the icon is drawn for: a light bar, a dark one, or one that colours the icon itself. */
export type TrayTone = 'on-light' | 'on-dark' | 'template';

/** Desktops whose bars are dark in any theme. */
const darkBars = ['gnome', 'unity', 'pantheon'];

export function trayTone({
  platform,
  desktops = [],
  isDark,
}: {
  platform: NodeJS.Platform;
  /** This desktop and those that it is like; see desktop-names.ts. */
  desktops?: readonly string[];
  /** Whether the system's own theme is dark. */
  isDark: boolean;
}): TrayTone {
  if (platform === 'darwin') return 'template';
  const isDarkBar = desktops.some((name) => darkBars.includes(name));
  return isDark || (platform === 'linux' && isDarkBar) ? 'on-dark' : 'on-light';
}
