import { desktopNames } from '../../linux/desktop-names.ts';

/** Desktops whose bars are dark in any theme. */
const darkBars = ['gnome', 'unity', 'pantheon'];

/** Whether this desktop's bar is, or that of one that it is like. */
export const hasDarkBar = (env: Readonly<NodeJS.ProcessEnv>): boolean =>
  desktopNames(env).some((name) => darkBars.includes(name));
