/** What `waymaker doctor` checks, in the order in which it says it; run-checks.ts runs them. */
export const checkNames = [
  'helper',
  'installation',
  'engine',
  'users',
  'device',
  'disk',
  'filter',
  'resolver',
  'clock',
  'sign-in',
  'way-out',
  'service',
  'gateway',
  'other-vpn',
  'route',
  'probe',
  'proxy',
  'group',
  'system',
] as const;
export type CheckName = (typeof checkNames)[number];
