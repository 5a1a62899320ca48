import type { RunProgram } from '../run-program.ts';
import { hasTrayHost } from './linux/tray-host.ts';

export { trayHostMs } from './linux/tray-host.ts';

/** Whether the desktop shows icons of programs, so that a hidden window can be found again. */
export const hasTrayPlace = (run: RunProgram): Promise<boolean> =>
  process.platform === 'linux' ? hasTrayHost(run) : Promise.resolve(true);
