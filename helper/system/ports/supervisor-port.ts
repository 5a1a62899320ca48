/** What has started the helper, and ends it: the system's service manager, or a person. */
export interface Supervisor {
  /** Reports that everything that must come before the network is done. */
  ready(): void;
  /** Resolves when the helper is to end; what has to be blocked stays so. */
  readonly told: Promise<void>;
  /** Calls back when the machine has slept and is awake again. Call it once. */
  onWoken(listener: () => void): void;
  /** Keeps a line of the log, with its line break, where this system's services have theirs. */
  readonly writeLog: (line: string) => void;
  /** Ends this process, with a status of which the system's service manager makes what it has to. */
  end(exitCode: number): void;
}
