/**
 * What a script (PAC) may take, as whoever asks it sees to. What the interpreter takes in its thread is limited in
 * evaluate-script.ts, and how a script is fetched in fetch-script.ts. Times are in milliseconds.
 */
export const scriptLimits = {
  /** For everything: the thread's start, its work, and look-ups. Then the thread is ended. */
  wholeMs: 15_000,
  /** For each name that it looks up. */
  lookUpMs: 2_000,
  names: 32,
  /** How often it is evaluated, each time with the addresses that it wanted the time before. */
  rounds: 8,
  /** Of its thread, in MB, beside what the interpreter itself takes. */
  heapMb: 48,
} as const;
