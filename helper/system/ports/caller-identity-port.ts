import type { Server, Socket } from 'node:net';

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

export interface CallerIdentity {
  /** Throws if the system does not say. */
  identify(socket: Socket): Caller;
  /** Listens at that path, with permissions that keep out as many other users as the system allows. */
  listen(server: Server, socketPath: string): Promise<void>;
}
