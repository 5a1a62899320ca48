import type { CheckName } from './check-names.ts';

/** A check and its result: `text` is for people, the rest is for programs. */
export interface Finding {
  /** A word that stays the same. */
  check: CheckName;
  /** `unknown`: the check was not possible, or not needed in this situation. */
  outcome: 'ok' | 'problem' | 'unknown';
  /** What was found, or what the user can do about it, in the user's language. */
  text?: string | undefined;
}

export const finding = (check: CheckName, isOk: boolean, text: string): Finding =>
  isOk ? { check, outcome: 'ok' } : { check, outcome: 'problem', text };
