import { existsSync } from 'node:fs';

/** Whether the kernel has a radio below this network device. */
export const isWifiDevice = (name: string): boolean => existsSync(`/sys/class/net/${name}/phy80211`);
