import type Electron from 'electron';
import { strict } from './strict.ts';

const display = strict('Display', {
  workArea: { x: 0, y: 0, width: 1920, height: 1040 },
} satisfies Pick<Electron.Display, 'workArea'>);

/** One display, with a bar of the desktop's at its end. */
export const screen = strict('screen', {
  getAllDisplays: () => [display as Electron.Display],
} satisfies Pick<Electron.Screen, 'getAllDisplays'>);
