import { linuxHere } from './linux/linux-here.ts';
import { linuxSelfTest } from './linux/linux-self-test.ts';
import { macosHere } from './macos/macos-here.ts';
import type { SelfTestSystem } from './self-test.ts';
import { windowsHere } from './windows/windows-here.ts';

const systems: Partial<Record<NodeJS.Platform, SelfTestSystem>> = {
  linux: { homes: '/home', apart: linuxSelfTest, here: linuxHere },
  darwin: { homes: '/Users', apart: undefined, here: macosHere },
  win32: { homes: String.raw`C:\Users`, apart: undefined, here: windowsHere },
};

/** Undefined on systems that have none. */
export const systemSelfTest = (platform: NodeJS.Platform = process.platform): SelfTestSystem | undefined =>
  systems[platform];
