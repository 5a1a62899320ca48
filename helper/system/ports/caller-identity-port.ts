import type { Socket } from 'node:net';

/** Who calls the helper, according to the system; nothing of it comes from the caller. */
export interface Caller {
  /** Identifies the user. Only for comparison: its meaning depends on the system. */
  user: string;
  /** Could do all of this without the helper, too. */
  isAdministrator: boolean;
  /** May use the helper. */
  isAllowed: boolean;
  /** For the log. */
  pid: number;
  /** Whether process ids mean the same processes to the caller as here. */
  sharesProcessIds: boolean;
}

/** Who listens is told of these. */
export interface CallListener {
  onCaller(socket: Socket, caller: Caller): void;
  /** The system does not say who somebody was, who is not served, or nobody can call any more. */
  onProblem(what: string, error: unknown): void;
}

export interface CallerIdentity {
  /**
   * Listens at that path, in the place of whatever is there, with permissions that keep out as many other users as the
   * system allows.
   */
  listen(socketPath: string, listener: CallListener): Promise<{ close(): Promise<void> }>;
}
