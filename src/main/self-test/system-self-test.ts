import { linuxSelfTest } from './linux/linux-self-test.ts';
import type { SelfTestSystem } from './self-test.ts';

/** Undefined on systems that have none yet. */
export const systemSelfTest = (platform: NodeJS.Platform): SelfTestSystem | undefined =>
  platform === 'linux' ? linuxSelfTest : undefined;
