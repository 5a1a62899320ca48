import type { Server, Socket } from 'node:net';

/** Who calls the helper, as the system says; nothing of it comes from the caller. */
export interface Caller {
  /** Names the user. To be compared only: what it stands for is the system's own business. */
  user: string;
  /** Could do all of this without the helper too. */
  isAdministrator: boolean;
  /** May use the helper. */
  isAllowed: boolean;
  /** For the log. */
  pid: number;
  /** Whether process ids mean the same processes to the caller as they do here. */
  sharesProcessIds: boolean;
}

export interface CallerIdentity {
  /** Throws if the system does not say. */
  identify(socket: Socket): Caller;
  /** Listens at that path, where the system's own permissions keep out as many of the others as they can. */
  listen(server: Server, socketPath: string): Promise<void>;
}
