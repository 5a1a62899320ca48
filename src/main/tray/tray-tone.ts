/** The background that the icon is drawn for: a light bar, a dark one, or one that colours the icon itself. */
export type TrayTone = 'on-light' | 'on-dark' | 'template';

/** Desktops whose bars are dark in any theme. */
const darkBars = ['gnome', 'unity', 'pantheon'];

export function trayTone({
  platform,
  desktop = '',
  isDark,
}: {
  platform: NodeJS.Platform;
  /** XDG_CURRENT_DESKTOP: names of desktops, separated by colons. */
  desktop?: string | undefined;
  /** Whether the system's own theme is dark. */
  isDark: boolean;
}): TrayTone {
  if (platform === 'darwin') return 'template';
  const isDarkBar = desktop.split(':').some((name) => darkBars.includes(name.toLowerCase()));
  return isDark || (platform === 'linux' && isDarkBar) ? 'on-dark' : 'on-light';
}
