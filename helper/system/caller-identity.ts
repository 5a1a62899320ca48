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
}

export interface CallerIdentity {
  /** Throws if the system does not say. */
  identify(socket: Socket): Caller;
  /** Listens at that path, where the system's own permissions keep out as many of the others as they can. */
  listen(server: Server, socketPath: string): Promise<void>;
}
