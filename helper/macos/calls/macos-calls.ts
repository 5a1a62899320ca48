import { runCommandInto, type RunCommand } from '../../posix/command.ts';
import { createCoreFoundation } from './core-foundation.ts';
import { createDynamicStore, type DynamicStore } from './dynamic-store.ts';
import { createInterfaceCalls, type InterfaceCalls } from './interface-calls.ts';
import { createLibc } from './libc.ts';
import { createNotifications } from './notifications.ts';
import { openEchoSocket } from './echo-socket.ts';
import { createFilterCalls, type FilterCalls } from './pfctl.ts';
import { createRouteCalls, type RouteCalls } from './routing-socket.ts';
import { openUtunSocket, type UtunSocket } from './utun.ts';

/** Everything that the ports of the network ask of macOS, and all that a model of it has to answer. */
export interface MacosCalls {
  openUtunSocket(): UtunSocket;
  /** See `TunnelDevice`. */
  openEcho(own: string): number | undefined;
  descriptors: { duplicate(descriptor: number): number; close(descriptor: number): void };
  interfaces: InterfaceCalls;
  routes: RouteCalls;
  filter: FilterCalls;
  store: DynamicStore;
}

/** The files of libraries that have the calls; null: what this process has loaded already. */
export interface MacosLibraries {
  system: string | null;
  coreFoundation: string;
  systemConfiguration: string;
  security: string;
}

const framework = (name: string) => `/System/Library/Frameworks/${name}.framework/${name}`;

export const macosLibraries: MacosLibraries = {
  system: null,
  coreFoundation: framework('CoreFoundation'),
  systemConfiguration: framework('SystemConfiguration'),
  security: framework('Security'),
};

export function createMacosCalls(run: RunCommand, libraries: MacosLibraries = macosLibraries): MacosCalls {
  const libc = createLibc(libraries.system);
  const foundation = createCoreFoundation(libraries.coreFoundation);
  const notifications = createNotifications(libc, libraries.system);
  return {
    openUtunSocket: () => openUtunSocket(libc),
    openEcho: (own) => openEchoSocket(libc, own),
    descriptors: libc,
    interfaces: createInterfaceCalls(libc),
    routes: createRouteCalls(libc),
    filter: createFilterCalls(run, runCommandInto),
    store: createDynamicStore(foundation, notifications, libraries.systemConfiguration),
  };
}
