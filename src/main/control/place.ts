/** Where to find the process that runs the core of a profile, and the lock that keeps out a second one. */
export interface ControlPlace {
  /** Unix socket, or named pipe on Windows. */
  socketPath: string;
  /** A file that the process with the core keeps locked, or a pipe that it listens on. */
  lockPath: string;
  /** On Windows: what only this user's programs know, by which they know the core. */
  key?: string;
  /** The folder with the settings and the log. */
  profile: string;
  /**
   * The same in the profile, for processes that were told another folder for sockets; none where the place depends on
   * the profile alone. With this computer's name, since homes may be on a server.
   */
  profileLockPath?: string;
}
