/** What was looked at, and what came of it: for people in `text`, for programs all but that. */
export interface Finding {
  /** A word that does not change. */
  check: CheckName;
  /** `unknown`: it could not be looked at, or need not be as things are. */
  outcome: 'ok' | 'problem' | 'unknown';
  /** What was found, or what can be done about it, in the user's language. */
  text?: string | undefined;
}

export const checkNames = [
  'helper',
  'engine',
  'users',
  'device',
  'filter',
  'resolver',
  'clock',
  'service',
  'gateway',
  'other-vpn',
  'route',
  'probe',
  'proxy',
  'group',
] as const;
export type CheckName = (typeof checkNames)[number];

export const finding = (check: CheckName, isOk: boolean, text: string): Finding =>
  isOk ? { check, outcome: 'ok' } : { check, outcome: 'problem', text };
