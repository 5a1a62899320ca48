/** The helper as the command that does its work without it sees it. */
export interface RunningHelper {
  /** Whether this user may do what the helper does. */
  mayRestore(): boolean;
  isRunning(): Promise<boolean>;
  /** Ends it, so that it is not started again at once; by force, if it does not end by itself. */
  stop(): Promise<void>;
}

/** The helper ends its engine and its proxy itself; after this time, in milliseconds, it is ended by force. */
export const stopMs = 15_000;
