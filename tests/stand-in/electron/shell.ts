import type Electron from 'electron';
import { host } from '../channel/app-side.ts';
import { strict } from './strict.ts';

/** Links are recorded by the process that holds the pages; nothing is opened. */
export const shell = strict('shell', {
  openExternal: (url) => host.openExternal(url),
} satisfies Pick<Electron.Shell, 'openExternal'>);
