import { createRunProgram } from '../../run-program.ts';
import { linuxSystem } from './linux/linux-system.ts';
import { createMacosSystem } from './macos/macos-system.ts';
import type { SystemView } from './system-view.ts';
import { windowsSystem } from './windows/windows-system.ts';

/** A system without a helper, which has nothing to say. */
const silentSystem: SystemView = {
  check: () => Promise.resolve([]),
  hasHelperRefused: () => Promise.resolve(false),
  routeTo: () => Promise.resolve(undefined),
  isByDestination: () => Promise.resolve(false),
  networksIntoTunnel: () => Promise.resolve([]),
  isInGroup: () => false,
  listenerUser: () => Promise.resolve(undefined),
};

const systems: Partial<Record<NodeJS.Platform, () => SystemView>> = {
  darwin: () => createMacosSystem(createRunProgram()),
  linux: () => linuxSystem,
  win32: () => windowsSystem,
};

export const thisSystem: SystemView = systems[process.platform]?.() ?? silentSystem;
