import { linuxSystem } from './linux/linux-system.ts';
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

export const thisSystem: SystemView = process.platform === 'linux' ? linuxSystem : silentSystem;
