import type { ProxySetting } from './proxy-setting.ts';

/** How a desktop has its programs get out. */
export type DesktopWay =
  | { kind: 'direct' }
  | ({ kind: 'proxy' } & ProxySetting)
  /**
   * As a script (PAC) says; without an address, programs look for one on the network (WPAD), and take the other proxy, if
   * there is one, where they find none.
   */
  | { kind: 'script'; address: string | undefined; otherwise?: ProxySetting };

/** A desktop's settings from before ours were written over them, in its own notation; null where there was none. */
export interface EarlierSettings {
  own: { address: string | null; mode: string | null };
  /** Addresses of our own scripts. */
  pacUrls: readonly string[];
}
