/** A process of the user, as its system describes it. */
export interface Process {
  pid: number;
  parent: number;
  /** In a unit of the system. Together with the pid, it identifies one process for ever. */
  startTime: string;
  /** Its program's file; empty if the system does not say. */
  exe: string;
  args: readonly string[];
  /** The system's name for the group that it is in; empty if there is none. */
  group: string;
  /** The program's name in its sandbox, if the sandbox says so. */
  sandbox: string | undefined;
}

export interface Processes {
  /**
   * All of the user's processes. Made for being called every second: details of known processes are read again only
   * from time to time.
   */
  read(): Process[];
  /** The current state of a known process; undefined if it has ended. */
  reread(pid: number): Process | undefined;
}

/**
 * The ids of the programs that a process belongs to. Several programs can share an executable, as in an office
 * suite.
 */
export type MatchProcess = (process: Process) => readonly string[];
