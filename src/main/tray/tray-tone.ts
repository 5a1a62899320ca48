/** What the icon is drawn for: a light bar, a dark one, or one that colours it itself. */
export type TrayTone = 'on-light' | 'on-dark' | 'template';

/** Bars that are dark whatever the theme of the programs is. */
const darkBars = ['gnome', 'unity', 'pantheon'];

export function trayTone({
  platform,
  desktop = '',
  isDark,
}: {
  platform: NodeJS.Platform;
  /** XDG_CURRENT_DESKTOP: names of desktops, apart by colons. */
  desktop?: string | undefined;
  /** Whether the theme of what the system itself draws is dark. */
  isDark: boolean;
}): TrayTone {
  if (platform === 'darwin') return 'template';
  const isDarkBar = desktop.split(':').some((name) => darkBars.includes(name.toLowerCase()));
  return isDark || (platform === 'linux' && isDarkBar) ? 'on-dark' : 'on-light';
}
