import { linuxHere } from './linux/linux-here.ts';
import { linuxSelfTest } from './linux/linux-self-test.ts';
import { macosHere } from './macos/macos-here.ts';
import type { SelfTestSystem } from './self-test.ts';
import { windowsHere } from './windows/windows-here.ts';

/** Undefined on systems that have none. */
export function systemSelfTest(platform: NodeJS.Platform): SelfTestSystem | undefined {
  switch (platform) {
    case 'linux':
      return { apart: linuxSelfTest, here: linuxHere };
    case 'darwin':
      return { apart: undefined, here: macosHere };
    case 'win32':
      return { apart: undefined, here: windowsHere };
    default:
      return undefined;
  }
}
