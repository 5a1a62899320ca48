import { hasDarkBar } from './linux/dark-bars.ts';

/** The background that the icon is drawn for: a light bar, a dark one, or one that colours the icon itself. */
export type TrayTone = 'on-light' | 'on-dark' | 'template';

/** The system's own theme, in Electron's words: that of windows, and that of bars, where the system has two. */
export interface SystemTheme {
  shouldUseDarkColors: boolean;
  shouldUseDarkColorsForSystemIntegratedUI: boolean;
}

export function trayTone(
  theme: SystemTheme,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
  platform: NodeJS.Platform = process.platform,
): TrayTone {
  if (platform === 'darwin') return 'template';
  const isDark =
    platform === 'linux'
      ? theme.shouldUseDarkColors || hasDarkBar(env)
      : theme.shouldUseDarkColorsForSystemIntegratedUI;
  return isDark ? 'on-dark' : 'on-light';
}
