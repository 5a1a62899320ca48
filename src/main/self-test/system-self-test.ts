import { linuxHere } from './linux/linux-here.ts';
import { linuxSelfTest } from './linux/linux-self-test.ts';
import { macosHere } from './macos/macos-here.ts';
import type { SelfTestSystem } from './self-test.ts';
import { windowsHere } from './windows/windows-here.ts';

const systems: Partial<Record<NodeJS.Platform, SelfTestSystem>> = {
  linux: { apart: linuxSelfTest, here: linuxHere },
  darwin: { apart: undefined, here: macosHere },
  win32: { apart: undefined, here: windowsHere },
};

/** Undefined on systems that have none. */
export const systemSelfTest = (platform: NodeJS.Platform): SelfTestSystem | undefined => systems[platform];
