import type { Observer, Unchecked } from '../verdict.ts';

/** A check about which nothing can be said. */
export class NotChecked extends Error {
  override name = 'NotChecked';
  readonly why: Unchecked;
  readonly details: readonly string[];
  /** Those of its observers that could see nothing of it. */
  readonly blind: readonly Observer[];

  constructor(why: Unchecked, details: readonly string[] = [], blind: readonly Observer[] = []) {
    super(why);
    this.why = why;
    this.details = details;
    this.blind = blind;
  }
}
