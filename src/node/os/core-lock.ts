/** Proof that only this process runs the core. The kernel releases it when the process ends, in any case. */
export interface CoreLock {
  /**
   * Whether others can find it: logind removes a user's folder at logout, and creates another one at the next login.
   */
  isInPlace(): boolean;
  release(): void;
}
