import type { RunProgram } from '../run-program.ts';
import { isMeteredOnLinux } from './linux/metered.ts';
import { isMeteredOnWindows } from './windows/metered.ts';

/** Whether the system says that its network is metered; macOS tells programs without a window nothing about it. */
export async function isMetered(platform: NodeJS.Platform, run: RunProgram): Promise<boolean> {
  try {
    if (platform === 'linux') return await isMeteredOnLinux(run);
    return platform === 'win32' && (await isMeteredOnWindows(run));
  } catch {
    return false;
  }
}
