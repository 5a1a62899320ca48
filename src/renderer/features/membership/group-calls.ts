import type { PageCallName } from '#shared/host/contract.ts';

/** What the service answers otherwise once somebody has become a member of a group, or has left it. */
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
