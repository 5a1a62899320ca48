import { linuxSystem } from './linux/linux-system.ts';
import { windowsSystem } from './windows/windows-system.ts';
import type { SystemView } from './system-view.ts';

/** A system without a helper, which has nothing to say. */
const silentSystem: SystemView = {
  tunnelDevice: '',
  check: () => [],
  hasHelperRefused: () => Promise.resolve(false),
  routeTo: () => Promise.resolve(undefined),
  isByDestination: () => Promise.resolve(false),
  networksIntoTunnel: () => Promise.resolve([]),
  isInGroup: () => false,
  listenerUser: () => Promise.resolve(undefined),
};

const systems: Partial<Record<NodeJS.Platform, SystemView>> = { linux: linuxSystem, win32: windowsSystem };

export const thisSystem: SystemView = systems[process.platform] ?? silentSystem;
