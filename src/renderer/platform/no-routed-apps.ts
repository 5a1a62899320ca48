import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts without routing by app. */
export const noRoutedApps: HostImplementation['routedApps'] = {
  list: () => [],
  running: () => [],
  start: () => 'not-routed',
  restart: () => 'not-routed',
};
