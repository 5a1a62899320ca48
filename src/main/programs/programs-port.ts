import type { FindIcon, InstalledProgram, Surroundings } from './installed-program.ts';
import type { MatchProcess, Processes } from './processes.ts';
import type { Browser } from './tunnel-browser.ts';

/** A process that will become the program once it is allowed to. */
export interface WaitingProgram {
  pid: number;
  /** Replaces the process with the program; false if that cannot be run. */
  go(): Promise<boolean>;
  /** Ends it instead. */
  cancel(): void;
}

/** Runs a program of the desktop; undefined if it is not installed. */
export type AskProgram = (name: string, args: readonly string[]) => Promise<string | undefined>;

/** What a system knows about programs, and does with them. */
export interface SystemPrograms {
  /** All programs that a menu of this desktop would show, sorted by name. */
  findInstalled(surroundings: Surroundings): Promise<InstalledProgram[]>;
  /** One search for icons. */
  createIconFinder(surroundings: Surroundings): FindIcon;
  createMatcher(programs: readonly InstalledProgram[]): MatchProcess;
  /** A file's path with all links resolved. */
  realFile(file: string): Promise<string>;
  createProcesses(): Processes;
  /** Undefined if nothing could be started. */
  startWaiting(
    command: readonly string[],
    options: { env: NodeJS.ProcessEnv; directory: string },
  ): Promise<WaitingProgram | undefined>;
  /** The user's own browser, or else another one that can be told to use a proxy. */
  findBrowser(ask: AskProgram, env: Readonly<NodeJS.ProcessEnv>): Promise<Browser | undefined>;
}
