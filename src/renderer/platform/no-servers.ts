import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts that neither keep nor measure servers. */
export const noServers: HostImplementation['servers'] = {
  kept: () => ({ favourites: [], recents: [] }),
  setFavourite: () => false,
  measure: () => 'unsupported',
};
