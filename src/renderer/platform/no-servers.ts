import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts that neither keep nor measure servers. */
export const noServers = {
  kept: () => ({ favourites: [], recents: [] }),
  setFavourite: () => false,
  measure: () => 'unsupported',
} satisfies HostImplementation['servers'];
