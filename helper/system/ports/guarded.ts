/** The result of checking what was set; `unset`: nothing was. */
export type Verdict = 'in-force' | 'changed' | 'unset';

/** Something that an administrator, another program or the system can remove. */
export interface Guarded {
  /** Checks the system. */
  verify(): Promise<Verdict>;
  /** Puts what was last set in force again, whatever part of it still exists. */
  restore(): Promise<void>;
  /** Calls back soon after something may have changed. Returns a function that ends the watch. */
  watch(onChange: () => void): () => void;
}
