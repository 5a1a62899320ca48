import type Electron from 'electron';
import { strict } from './strict.ts';

/** Like Electron on Linux before it is ready: message boxes are lines on the error stream. */
export const dialog = strict('dialog', {
  showErrorBox: (title, content) => console.error(`${title}: ${content}`),
} satisfies Pick<Electron.Dialog, 'showErrorBox'>);
