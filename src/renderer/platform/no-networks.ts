import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts that do not learn on which network they are. */
export const noNetworks: HostImplementation['networks'] = { current: () => null };
