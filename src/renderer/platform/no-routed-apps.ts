import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts that do not route by application. */
export const noRoutedApps: HostImplementation['routedApps'] = {
  list: () => [],
  running: () => [],
  start: () => 'not-routed',
  restart: () => 'not-routed',
};
