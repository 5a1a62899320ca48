import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts that cannot find out which network they are on. */
export const noNetworks = { current: () => null } satisfies HostImplementation['networks'];
