import type { PageCallName } from '#shared/host/common-contract.ts';

/** Calls whose answers change when somebody becomes a member of a group, or leaves it. */
export const changedByMembership: readonly PageCallName[] = [
  'invitations',
  'userInfo',
  'myService',
  'serverGroups',
  'trafficStats',
  'myApps',
  'groupApps',
  'members',
];
