import type { ProxySetting } from './proxy-setting.ts';

/** How a desktop has its programs get out. */
export type DesktopWay =
  | { kind: 'direct' }
  | ({ kind: 'proxy' } & ProxySetting)
  /** As a file with a script says (PAC), which may be our own. */
  | { kind: 'script' };
