import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts without routing by app. */
export const noRoutedApps = {
  list: () => [],
  running: () => [],
  start: () => 'not-routed',
  restart: () => 'not-routed',
} satisfies HostImplementation['routedApps'];
