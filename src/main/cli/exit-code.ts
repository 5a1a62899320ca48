/** What the command line's exit codes mean; part of its interface, see docs/command-line.md. */
export const exitCode = {
  done: 0,
  /** It could not be done; the reason is on standard error. */
  failed: 1,
  /** The command, an option or an argument is wrong. */
  usage: 2,
  notSignedIn: 3,
  /** No tunnel can be made on this computer as it is: the helper is absent, or may not be used. */
  unavailable: 4,
  /** There is no tunnel: connecting has failed, or `status --check` found none. */
  notConnected: 5,
  /** The server may not be used, or the connection is another user's. */
  refused: 6,
  /** `doctor` found something wrong. */
  problems: 7,
  /** By SIGINT, as shells say it. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
