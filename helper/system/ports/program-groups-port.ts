/** The users' groups of programs. */
export interface GroupHost {
  /** Whether this system can route them separately. */
  isSupported(): boolean;
  /**
   * Moves a user's process and its descendants into the user's group or out of it, and ends the connections that they
   * had. Rejects with `NoSuchProcess`.
   */
  move(process: ProcessMove): Promise<ProcessesMoved>;
}

export interface ProcessMove {
  user: string;
  pid: number;
  into: 'group' | 'outside';
}

/** How many processes were somewhere else before, and how many of their connections were ended. */
export interface ProcessesMoved {
  moved: number;
  ended: number;
}

/** No process of that user: it does not exist, belongs to another user, or has more rights than the user. */
export class NoSuchProcess extends Error {
  override name = 'NoSuchProcess';
}
